import { MODES } from '../../permissions/rules/modes.ts'
import { SANDBOX_MODES } from '../../permissions/sandbox/sandbox-modes.ts'
import { isPrompt, meaningOf } from '../program/interpret-arguments.ts'
import { dollars } from '../run/amounts.ts'

/** What the first frame of a conversation depends on. */
export interface Conversation {
  readonly model: string | undefined
  readonly budget: number | null
}

/**
 * Reads a command line that surely opens a new conversation on a terminal. Undefined for every other one, and for one that may
 * be wrong: commander, which takes longer to load than all that the first frame needs, reads it and says why.
 */
export function conversationOf(argv: readonly string[]): Conversation | undefined {
  let model: string | undefined
  let budget: number | null = null
  const given = new Set<string>()
  try {
    if (argv.length > 0 && meaningOf(argv) !== 'run') return undefined
    for (let at = 0; at < argv.length; at++) {
      const word = argv[at]!
      if (!word.startsWith('-') && isPrompt(word)) continue
      given.add(word)
      if (word === SKIP) continue
      const value = argv[++at]
      if (value === undefined || value.startsWith('-') || !isValid(word, value)) return undefined
      if (word === '-m' || word === '--model') model = value
      if (word === '--max-budget-usd') budget = dollars(value)
    }
  } catch {
    return undefined
  }
  // They contradict each other.
  if (given.has(SKIP) && given.has('--permission-mode')) return undefined
  return { model, budget }
}

const SKIP = '--dangerously-skip-permissions'

function isValid(option: string, value: string): boolean {
  if (option === '--permission-mode') return MODES.some((mode) => mode === value)
  if (option === '--sandbox') return SANDBOX_MODES.some((mode) => mode === value)
  return ['-m', '--model', '--max-budget-usd', '--append-system-prompt', '--status-line'].includes(option)
}
