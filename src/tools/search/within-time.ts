import { createContext, Script } from 'node:vm'
import { TeamError } from '../../team/errors.ts'

const context = createContext({ work: undefined as unknown })
const script = new Script('work()')

/**
 * Runs `work` and throws if it takes longer. For patterns that a model wrote: some would block this process, with all
 * its agents, for ever.
 */
export function withinTime<T>(work: () => T, milliseconds: number): T {
  context.work = work
  try {
    return script.runInContext(context, { timeout: milliseconds })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new PatternTooSlow(error)
  } finally {
    context.work = undefined
  }
}

export class PatternTooSlow extends TeamError {
  readonly code = 'pattern_too_slow'
  constructor(cause: unknown) {
    super('The pattern takes too long to match. Make it simpler: fewer nested repeats like (a+)+ or a*a*.', { cause })
  }
}
