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

/** How long an agent may give no sign of life, in seconds. */
export interface StallLimits {
  /** Nothing comes from its model, and no tool runs. */
  readonly silence: number
  /** A tool runs, and nothing comes from it. */
  readonly stall: number
}

/**
 * Calls `end` once an agent gave no sign of life for too long. Messages are not what counts: every piece of an answer and
 * every event of a tool is a sign, and a call that waits for a rate limit or a retry has the time it waits.
 */
export function watchStall(
  clock: AlarmClock,
  { limits, isWaiting, end }: { limits: StallLimits; isWaiting: () => boolean; end: (seconds: number) => void },
): Pick<Silence, 'onEvent' | 'stop'> {
  let calls = 0
  let cancel = () => {}
  const arm = (waits: number) => {
    const seconds = calls > 0 ? limits.stall : limits.silence
    cancel()
    cancel = clock.in(seconds + waits, () => (isWaiting() ? arm(0) : end(seconds)))
  }
  return {
    onEvent(event) {
      if (event?.type === 'tool_started') calls++
      if (event?.type === 'tool_finished') calls--
      arm(event?.type === 'waiting' ? event.seconds : 0)
    },
    stop: () => cancel(),
  }
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
