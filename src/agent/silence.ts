import type { AlarmClock } from '../journal/clock.ts'
import type { AgentEvent } from './agent-event.ts'

/** Silence after which the run does not wait for an answer about work that has ended. */
export const MAX_CLOSING_SILENCE_S = 30
/**
 * The same where an answer is owed: to a message, or to the parent of a subagent. Long enough for a model that thinks
 * without output, and less than half of the time-out of a silent connection.
 */
export const MAX_ANSWER_SILENCE_S = 120
/** How often it is checked again whether the run still waits for something else. */
const RECHECK_S = 10

export interface Silence {
  /** Nothing came from the model for that long, and no tool runs. */
  readonly isSilent: boolean
  /** Activity of the model or a tool: the silence is timed anew. */
  onEvent(event?: AgentEvent): void
  stop(): void
}

/** Calls `end` once a model was silent for too long while `mayEnd` says that nothing else is left to wait for. */
export function watchSilence(
  clock: AlarmClock,
  { seconds, mayEnd, end }: { seconds: () => number; mayEnd: () => boolean; end: () => void },
): Silence {
  /** Tool calls that run: a command may be silent for any time. */
  let running = 0
  let isSilent = false
  let cancel = () => {}
  const arm = (after: number) => {
    cancel = clock.in(after, () => {
      isSilent = running === 0
      if (isSilent && mayEnd()) return end()
      arm(RECHECK_S)
    })
  }
  return {
    get isSilent() {
      return isSilent
    },
    onEvent(event) {
      if (event?.type === 'tool_started') running++
      if (event?.type === 'tool_finished') running--
      isSilent = false
      cancel()
      arm(seconds())
    },
    stop() {
      isSilent = false
      cancel()
    },
  }
}
