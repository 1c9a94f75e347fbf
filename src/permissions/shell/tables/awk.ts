import type { Word } from '../word.ts'
import { refuseUse, type Setting, type Uses } from './use.ts'

const USES: Uses = { values: { '-F': 'word', '-v': 'word' }, first: ['word'], operands: 'read' }

/** awk whose program computes and prints. Files by `-f`, and every option of one awk only, are asked about. */
export function refuseAwk(words: readonly Word[], setting: Setting): string | undefined {
  let program: string | undefined
  const check: Uses['check'] = ({ operands }) => {
    program = operands[0]?.text
    return undefined
  }
  const why = refuseUse('awk', { ...USES, check }, words, setting)
  if (why !== undefined) return why
  if (program === undefined) return 'what awk does is not known before'
  return isHarmlessAwk(program) ? undefined : 'this awk program is not among its known uses'
}

const FUNCTIONS: ReadonlySet<string> = new Set(
  'length substr index split sub gsub match sprintf tolower toupper int sqrt exp log sin cos rand srand print printf if while for in'.split(
    ' ',
  ),
)

/**
 * A program that can neither run another nor write a file: for those awk needs `|`, `>`, `@`, `getline` or a function
 * that is not in the list, wherever they stand. Texts and patterns in it are not told apart from the rest, so that one
 * that only mentions such a thing is asked about too.
 */
export function isHarmlessAwk(program: string): boolean {
  if (/[>@\\`]/.test(program.replace(/\\[nt."/$]/g, '')) || /\|/.test(program.replaceAll('||', ''))) return false
  if (/getline|system|ENVIRON|PROCINFO/.test(program)) return false
  for (const [, name] of program.matchAll(/([A-Za-z_]\w*)[ \t]*\(/g)) if (!FUNCTIONS.has(name!)) return false
  return true
}
