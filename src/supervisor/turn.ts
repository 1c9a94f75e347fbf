import { INTERRUPTED_BY_USER } from '../agent/aborted.ts'
import type { AgentEvent } from '../agent/agent-event.ts'
import type { Membership } from '../agent/membership.ts'
import { type SessionContext, stallLimits } from '../agent/session-context.ts'
import { MAX_ANSWER_SILENCE_S, MAX_CLOSING_SILENCE_S, watchSilence, watchStall } from '../agent/silence.ts'
import type { Author } from '../team/event.ts'
import { owesNothing } from '../team/progress/finished.ts'
import { isAsking } from '../team/progress/next-step.ts'
import { heldBy } from '../team/state.ts'
import { Stalled } from './teammate/stalled.ts'

/** Urgent mail came in: the turn ends, and the next one begins with it. */
export const URGENT = reason('Urgent mail came in.')
/** The agent agreed to stop. */
export const STOPPING = reason('It agreed to stop.')
/** The run waits for nothing else, and the task of the turn has ended. */
export const FINISHED = reason('Its team is finished.')
/** The same, with an answer still owed. */
export const SILENT = reason('Its model is silent.')

/** One turn of an agent. Interrupting it loses nothing: the conversation continues from the transcript. */
export interface Turn {
  readonly signal: AbortSignal
  interrupt(reason: unknown): void
  /**
   * The user ends it. A turn that has no input yet ends as soon as it has: its messages would begin the next one otherwise.
   * False if it has ended already.
   */
  interruptByUser(): boolean
  /** The model has been silent for too long, and no tool runs. */
  readonly isSilent: boolean
  /** Activity of the model or a tool: the silence is timed anew. */
  onEvent(event?: AgentEvent): void
  stop(): void
}

export interface TurnOptions {
  readonly context: SessionContext
  readonly lead: Membership
  readonly by: Author
  readonly isLead: boolean
  /** It continues a conversation that was cut off, and may have no input. */
  readonly isCutOff: boolean
  areOthersSilent(): boolean
}

/** Ends the turn of a teammate that is silent for too long, or whose silent model is all that the run waits for. */
export function watchTurn({ context, lead, by, isLead, isCutOff, areOthersSilent }: TurnOptions): Turn {
  const { clock, run } = context
  const { team } = lead
  const turn = new AbortController()
  const interrupt = (reason: unknown) => turn.abort(reason)
  let hasInput = isCutOff
  let isWanted = false
  let isOver = false
  // The loss of a lead ends the run, so its silence is left to the time-outs of the connection.
  if (isLead) return { signal: turn.signal, interrupt, interruptByUser, isSilent: false, onEvent: noteInput, stop }

  const isFree = () => heldBy(team.state, by.name) === undefined
  // The run waits for its task, not for what it says after completing the task.
  let isOwing = isFree()
  const silence = watchSilence(clock, {
    seconds: () => (isOwing ? MAX_ANSWER_SILENCE_S : MAX_CLOSING_SILENCE_S),
    mayEnd: () => run.isFinished() && (isOwing ? isFree() && areOthersSilent() : owesNothing(team.state, by.name)),
    end: () => interrupt(isOwing ? SILENT : FINISHED),
  })
  const stalled = watchStall(clock, {
    limits: stallLimits(context.supervisor),
    // An agent that waits for a person's answer is not stalled.
    isWaiting: () => isAsking(team.state, by),
    end: (seconds) => interrupt(new Stalled(by.name, seconds)),
  })
  function onEvent(event?: AgentEvent): void {
    noteInput(event)
    // The sender waits for an answer to its message.
    if (event?.type === 'input_received' && event.mail.length > 0 && isFree()) isOwing = true
    silence.onEvent(event)
    stalled.onEvent(event)
  }
  return {
    signal: turn.signal,
    interrupt,
    interruptByUser,
    get isSilent() {
      return silence.isSilent
    },
    onEvent,
    stop() {
      stop()
      stalled.stop()
      silence.stop()
    },
  }

  function interruptByUser(): boolean {
    if (isOver || turn.signal.aborted) return false
    isWanted = true
    if (hasInput) interrupt(INTERRUPTED_BY_USER)
    return true
  }

  function noteInput(event?: AgentEvent): void {
    hasInput ||= event !== undefined
    if (isWanted && hasInput) interrupt(INTERRUPTED_BY_USER)
  }

  function stop(): void {
    isOver = true
  }
}

function reason(message: string): Error {
  return Object.assign(new Error(message), { name: 'AbortError' })
}
