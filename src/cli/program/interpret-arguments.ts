import { commandNames, similarCommand } from './commands.ts'
import { Misused } from './misused.ts'
import { commandHint } from './option-hints.ts'

/**
 * Whether a command line is a command, a prompt to run, or a question for the version:
 *
 * - the first word names a command or a group of commands: that command;
 * - the first word is an option of a run (`-p`, `-m`, `--model` …): a run;
 * - the first word is a prompt, that is one argument with white space or a non-ASCII character: a run, as with `-p`;
 * - any other word is refused with a suggestion. A mistyped command is one plain word, and must not become a paid prompt.
 */
export function meaningOf(argv: readonly string[]): 'command' | 'run' | 'version' {
  const at = firstWordIndex(argv)
  const word = argv[at]
  if (word === undefined || ['-h', '--help', '-V', '--version'].includes(word)) return 'command'
  if (word === '-v') return 'version'
  if (word === '--') return argv[at + 1] === undefined ? 'command' : 'run'
  if (word.startsWith('-') && word !== '-') return 'run'
  if (commandNames.has(word) || word === 'help') return 'command'
  if (commandNames.has(word.trim().replace(/\s+/g, ' ')))
    throw new Misused(`${quoted(word)} is a command in quotes. Write it without them: deskmates ${word.trim()}`)
  if (isPrompt(word)) return 'run'
  throw unknownWord(argv.slice(at))
}

/** Whether an argument without `-p` before it is a prompt, not a mistyped command. */
export function isPrompt(word: string): boolean {
  return /\S\s+\S/.test(word) || /[^\p{ASCII}]/u.test(word)
}

/** The error for a word that is neither a command nor a prompt, with a suggestion. */
export function unknownWord([word = '', ...rest]: readonly string[]): Misused {
  const words = [word, ...rest.filter((one) => !one.startsWith('-'))].join(' ')
  const meant = commandHint(word)
  const similar = similarCommand(word)
  const next = meant ?? (similar === undefined ? '' : `Did you mean ${similar}?`)
  return new Misused(
    `There is no command ${quoted(word)}.${next && ` ${next}`} To ask an agent, quote the prompt: deskmates -p ${inShell(words)}. See: deskmates --help`,
  )
}

/**
 * `--allowedTools A B` as one option for each value, so that lists may be separated by spaces as well as by commas. What
 * stands behind a list and cannot belong to it, such as the prompt, is left alone.
 */
export function withSeparateValues(argv: readonly string[]): string[] {
  const words: string[] = []
  let option: string | undefined
  for (const [i, word] of argv.entries()) {
    if (word === '--') return [...words, ...argv.slice(i)]
    const [, name, value] = LISTS.exec(word) ?? []
    if (name !== undefined) {
      option = name
      words.push(word)
      if (value !== undefined) continue
    } else if (option !== undefined && argv[i - 1] === option) words.push(word)
    else if (option !== undefined && belongs(option, word)) words.push(option, word)
    else {
      option = undefined
      words.push(word)
    }
  }
  return words
}

const LISTS = /^(--allowedTools|--allowed-tools|--disallowedTools|--disallowed-tools|--add-dir)(=.*)?$/s

function belongs(option: string, word: string): boolean {
  if (word.startsWith('-')) return false
  if (option === '--add-dir') return /^(\/|\.|~)/.test(word) || !isPrompt(word)
  return RULE.test(word)
}

/** Rules with commas between them: no space outside of parentheses, which a prompt has. */
const RULE = /^[\w*-]+(\([^)]*\))?(,\s*[\w*-]+(\([^)]*\))?)*,?$/

/** No command, no prompt and no option of a run, as in `deskmates --team web`. */
export function hasOnlyGlobals(argv: readonly string[]): boolean {
  return firstWordIndex(argv) >= argv.length
}

/** The index of the first word after the global options. */
function firstWordIndex(argv: readonly string[]): number {
  let at = 0
  for (; at < argv.length; at++) {
    const [, option, value] = /^--(json|team|cwd|store|command-id)(=|$)/.exec(argv[at]!) ?? []
    if (option === undefined) break
    if (option !== 'json' && value === '') at++
  }
  return at
}

function quoted(word: string): string {
  return JSON.stringify(word.length > 80 ? `${word.slice(0, 80)}…` : word)
}

function inShell(words: string): string {
  const short = words.length > 200 ? 'what to do' : words
  return `'${short.replaceAll("'", "'\\''")}'`
}
