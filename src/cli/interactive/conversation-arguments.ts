import { MODES } from '../../permissions/rules/modes.ts'
import { parseRules } from '../../permissions/rules/parse-rule.ts'
import { SANDBOX_MODES } from '../../permissions/sandbox/sandbox-modes.ts'
import { isUuid } from '../../team/members/session-id.ts'
import { hasOnlyGlobals, isPrompt, meaningOf, withSeparateValues } from '../program/interpret-arguments.ts'
import { count, dollars } from '../run/amounts.ts'

/** What the first frame of a conversation depends on. */
export interface Conversation {
  readonly model: string | undefined
  readonly budget: number | null
}

/**
 * Reads a command line that surely opens a conversation on a terminal, with nothing to choose before it. Undefined for every
 * other one, and for one that may be wrong: commander, which takes longer to load than all that the first frame needs, reads
 * it and says why.
 */
export function conversationOf(argv: readonly string[]): Conversation | undefined {
  let model: string | undefined
  let budget: number | null = null
  const given = new Set<string>()
  try {
    if (!hasOnlyGlobals(argv) && meaningOf(argv) !== 'run') return undefined
    const words = withSeparateValues(argv)
    for (let at = 0; at < words.length; at++) {
      const word = words[at]!
      if (!word.startsWith('-') && isPrompt(word)) continue
      const [, option = word, inline] = /^(--[a-zA-Z-]+)=(.*)$/s.exec(word) ?? []
      given.add(LONG[option] ?? option)
      if (FLAGS.includes(option)) {
        if (inline !== undefined) return undefined
        continue
      }
      const value = inline ?? words[++at]
      if (value === undefined || value.startsWith('-') || !VALUES[option]?.(value)) return undefined
      if (option === '-m' || option === '--model') model = value
      if (option === '--max-budget-usd') budget = dollars(value)
    }
  } catch {
    return undefined
  }
  return isContradiction(given) ? undefined : { model, budget }
}

const SKIP = '--dangerously-skip-permissions'
const FLAGS: readonly string[] = ['-c', '--continue', '--fork-session', '--here', SKIP]
const LONG: Readonly<Record<string, string>> = { '-c': '--continue', '-r': '--resume' }

const any = () => true
const isName = (text: string) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text)
const isOneOf = (all: readonly string[]) => (text: string) => all.includes(text)

/** Options with a value, and which values are right; a check may throw. `-r` without one opens a list to choose from. */
const VALUES: Readonly<Record<string, ((value: string) => boolean) | undefined>> = {
  '--team': isName,
  '-r': isName,
  '--resume': isName,
  '--session-id': isUuid,
  '-m': any,
  '--model': any,
  '--fallback-model': (value) => value.split(',').every((name) => name.trim() !== ''),
  '--max-turns': (value) => count(value) > 0,
  '--max-budget-usd': (value) => dollars(value) > 0,
  '--permission-mode': isOneOf(MODES),
  '--allowedTools': (value) => parseRules(value).length > 0,
  '--allowed-tools': (value) => parseRules(value).length > 0,
  '--disallowedTools': (value) => parseRules(value).length > 0,
  '--disallowed-tools': (value) => parseRules(value).length > 0,
  '--sandbox': isOneOf(SANDBOX_MODES),
  '--append-system-prompt': any,
  '--add-dir': any,
  '--status-line': any,
  '--record': any,
}

/** What the command refuses: two modes, two sessions, a copy of none. */
function isContradiction(given: ReadonlySet<string>): boolean {
  if (given.has(SKIP) && given.has('--permission-mode')) return true
  const named = ['--continue', '--resume', '--team'].filter((option) => given.has(option))
  if (named.length > 1) return true
  const isCopy = given.has('--fork-session')
  if (isCopy && !given.has('--continue') && !given.has('--resume')) return true
  return given.has('--session-id') && !isCopy && named.length > 0
}
