import type { Word } from '../word.ts'
import { type Given, refuseUse, type Setting, type Uses } from './use.ts'

const FLAGS = '-n -E -r -s -u -z --quiet --silent --regexp-extended --posix --sandbox --separate'

const SCRIPTS: Uses = { flags: FLAGS, values: { word: '-e --expression' }, operands: 'read' }
const WITH_FILES: Uses = { flags: `${FLAGS} -i --in-place`, values: SCRIPTS.values!, operands: 'write' }

/** sed whose every command prints, deletes, quits or replaces text; nothing that runs or writes by the script. */
export function refuseSed(words: readonly Word[], setting: Setting): string | undefined {
  const isInPlace = words.some(({ text }) => /^(-[nErsuz]*i|--in-place)/.test(text ?? ''))
  if (words.some(({ text }) => /^(-[nErsuz]*i.|--in-place=)/s.test(text ?? '')))
    return 'sed -i with a suffix writes a copy'
  let given: Given | undefined
  const uses = isInPlace ? WITH_FILES : SCRIPTS
  const scripts: string[] = []
  const rest: Word[] = []
  for (let i = 0; i < words.length; i++) {
    const { text } = words[i]!
    const [, inside] = /^(?:-e|--expression=)(.+)$/s.exec(text ?? '') ?? []
    if (inside !== undefined) scripts.push(inside)
    else if (/^(-[nErsuz]*e|--expression)$/.test(text ?? '')) {
      const script = words[++i]?.text
      if (script === undefined) return 'what sed does is not known before'
      scripts.push(script)
      if (text !== '-e' && text !== '--expression') rest.push({ raw: text!, text: text!.slice(0, -1) })
    } else rest.push(words[i]!)
  }
  const at = rest.findIndex(({ text }) => text === undefined || !text.startsWith('-'))
  if (scripts.length === 0) {
    const script = rest[at]?.text
    if (script === undefined) return 'what sed does is not known before'
    scripts.push(script)
    rest.splice(at, 1)
  }
  const odd = scripts.find((script) => !isHarmlessSed(script))
  if (odd !== undefined) return `sed '${odd.slice(0, 40)}' is not among its known uses`
  const check = (found: Given) => {
    given = found
    return undefined
  }
  const why = refuseUse('sed', { ...uses, check }, rest, setting)
  if (why !== undefined) return why
  return isInPlace && given?.operands.length === 0 ? 'sed -i without a file' : undefined
}

/** `5p`, `/x/,$d`, `s/a/b/g` and the like, with `;` or lines between them. */
export function isHarmlessSed(script: string): boolean {
  let rest = script
  for (let i = 0; i < 100; i++) {
    rest = rest.replace(/^[\s;]+/, '')
    if (rest === '') return true
    const address = skipAddresses(rest)
    if (address === undefined) return false
    rest = rest.slice(address).trimStart()
    const [plain] = /^(?:[pdDPqNnGhHxg=]|q\d{1,3})(?=[\s;]|$)/.exec(rest) ?? []
    if (plain !== undefined) {
      rest = rest.slice(plain.length)
      continue
    }
    const end = skipReplacement(rest)
    if (end === undefined) return false
    rest = rest.slice(end)
  }
  return false
}

const LINE = /^(?:\d{1,9}|\$)/

function skipAddresses(text: string): number | undefined {
  const first = skipAddress(text, 0)
  if (first === undefined) return undefined
  let at = first
  if (first > 0 && text[at] === ',') {
    const second = skipAddress(text, at + 1)
    if (second === undefined || second === at + 1) return undefined
    at = second
  }
  while (text[at] === ' ') at++
  if (first > 0 && text[at] === '!') at++
  return at
}

/** Behind an address, the same place if there is none, undefined if it has no end. */
function skipAddress(text: string, at: number): number | undefined {
  if (text[at] === '/') {
    const end = endOf(text, at + 1, '/')
    return end === undefined ? undefined : end + 1
  }
  if (text[at] === '\\') return undefined
  return at + (LINE.exec(text.slice(at, at + 12))?.[0].length ?? 0)
}

function skipReplacement(text: string): number | undefined {
  const [sign, delimiter] = [text[0], text[1]]
  if (sign !== 's' || delimiter === undefined || /[\s\\\w;]/.test(delimiter)) return undefined
  const middle = endOf(text, 2, delimiter)
  const end = middle === undefined ? undefined : endOf(text, middle + 1, delimiter)
  if (end === undefined) return undefined
  const [flags] = /^[gpI0-9]*(?=[\s;]|$)/.exec(text.slice(end + 1)) ?? []
  return flags === undefined ? undefined : end + 1 + flags.length
}

/** Where a part ends. One that holds its own delimiter in brackets is read in two ways, so it is not read at all. */
function endOf(text: string, begin: number, delimiter: string): number | undefined {
  for (let at = begin; at < text.length; at++) {
    const sign = text[at]
    if (sign === '\\') at++
    else if (sign === delimiter) return at
    else if (sign === '\n') return undefined
    else if (sign === '[') {
      const close = text.indexOf(']', at + 2)
      const inside = text.slice(at + 1, close)
      if (close === -1 || /^\^?\]|\[/.test(inside) || inside === '^' || inside.includes(delimiter)) return undefined
    }
  }
  return undefined
}

const USES: Uses = { values: { word: '-F -v' }, first: ['word'], operands: 'read' }

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
function isHarmlessAwk(program: string): boolean {
  if (/[>@\\`]/.test(program.replace(/\\[nt."/$]/g, '')) || /\|/.test(program.replaceAll('||', ''))) return false
  if (/getline|system|ENVIRON|PROCINFO/.test(program)) return false
  for (const [, name] of program.matchAll(/([A-Za-z_]\w*)[ \t]*\(/g)) if (!FUNCTIONS.has(name!)) return false
  return true
}
