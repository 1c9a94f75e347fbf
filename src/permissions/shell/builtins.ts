import type { Word } from './word.ts'

/** All builtins of bash, without those that are only programs to us (`kill`) and those that `inside.ts` looks into. */
const BUILTINS: ReadonlySet<string> = new Set(
  `. : [ alias bg bind break caller cd compgen complete compopt continue declare dirs disown echo enable exit export
  false fc fg getopts hash help history jobs let local logout mapfile popd printf pushd pwd read readarray readonly
  return set shift shopt source suspend test times true type typeset ulimit umask unalias unset wait`.split(/\s+/),
)

/**
 * Why it is unknown what a builtin of bash does here, undefined where it is known. Only uses that are known to set nothing,
 * calculate nothing and change no later word are understood: `test -v`, `printf -v`, `read`, `let` and their kin run
 * whatever stands in an index.
 */
export function unknownBuiltin(words: readonly Word[]): string | undefined {
  const name = words[0]?.text
  if (name === undefined || !BUILTINS.has(name)) return undefined
  const rest = words.slice(1)
  const isKnown = UNDERSTOOD.get(name)?.(rest) ?? false
  return isKnown ? undefined : `bash's ${name} is not understood here`
}

type Check = (rest: readonly Word[]) => boolean

const anything: Check = () => true
const number: Check = (rest) => rest.length === 0 || (rest.length === 1 && /^\d{1,3}$/.test(rest[0]!.text ?? ''))
const matching =
  (pattern: RegExp): Check =>
  (rest) =>
    rest.every(({ text }) => text !== undefined && pattern.test(text))

const UNDERSTOOD: ReadonlyMap<string, Check> = new Map<string, Check>([
  [':', anything],
  ['true', anything],
  ['false', anything],
  ['echo', anything],
  ['pwd', matching(/^-[LP]$/)],
  ['cd', anything],
  ['exit', number],
  ['return', number],
  ['break', number],
  ['continue', number],
  ['shift', number],
  ['times', (rest) => rest.length === 0],
  ['type', matching(/^(-[afptP]+|[^-].*)$/)],
  ['help', matching(/^[^-]/)],
  ['jobs', matching(/^-[lprs]$/)],
  ['wait', matching(/^[\d%]+$/)],
  ['umask', matching(/^[0-7]{3,4}$/)],
  ['set', (rest) => rest.length > 0 && isSafeSet(rest)],
  ['printf', isPrinting],
  ['test', isTesting],
  ['[', (rest) => rest.at(-1)?.text === ']' && isTesting(rest.slice(0, -1))],
  ['export', (rest) => rest.length === 0],
])

/** Options that stop a script earlier or show more of it. */
function isSafeSet(rest: readonly Word[]): boolean {
  return rest.every(({ text }, i) =>
    /^[-+](o|[eux]+o?)$/.test(text ?? '')
      ? !text!.endsWith('o') || /^(pipefail|errexit|nounset|xtrace)$/.test(rest[i + 1]?.text ?? '')
      : /^[-+]\w*o$/.test(rest[i - 1]?.text ?? '') && /^(pipefail|errexit|nounset|xtrace)$/.test(text ?? ''),
  )
}

function isPrinting(rest: readonly Word[]): boolean {
  const format = rest[0]?.text === '--' ? rest[1] : rest[0]
  return format?.text !== undefined && isPlainFormat(format.text)
}

/** Of `printf`: an option or `%n` sets a variable. */
export function isPlainFormat(format: string): boolean {
  return /^(?!-)(?:[^%]|%%|%[-+ 0#]*\d*(?:\.\d+)?[sdiuoxXcfeEgGbq])*$/.test(format)
}

/** `-n x`, `x = y` and the like, with their operator in plain sight. */
function isTesting(rest: readonly Word[]): boolean {
  const words = rest[0]?.text === '!' ? rest.slice(1) : rest
  if (words.length === 1) return true
  if (words.length === 2) return /^-[nzefdrwxsLhp]$/.test(words[0]!.text ?? '')
  return words.length === 3 && /^(==?|!=|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/.test(words[1]!.text ?? '')
}
