import { MAX_ANSWER_SILENCE_S, MAX_CLOSING_SILENCE_S, type Silence, watchSilence } from '../agent/silence.ts'
import type { Author } from '../team/event.ts'
import { owesNothing } from '../team/finished.ts'
import { heldBy } from '../team/state.ts'
import type { Reports } from './reports.ts'
import type { SupervisedTeamOptions } from './supervisor-options.ts'

/** The run waits for nothing else, and the turn would bring only closing words. */
export const FINISHED = Object.assign(new Error('Its team is finished.'), { name: 'AbortError' })
/** The same, with an answer still owed. */
export const SILENT = Object.assign(new Error('Its model is silent.'), { name: 'AbortError' })

interface Watched {
  readonly plan: SupervisedTeamOptions
  readonly by: Author
  areOthersSilent(): boolean
}

/** Ends the turn of a teammate when its silent model is all the run still waits for. */
export function watchTurn({ plan, by, areOthersSilent }: Watched, abort: (reason: Error) => void): Silence {
  const { team, clock } = plan
  const isFree = () => heldBy(team.state, by.name) === undefined
  // Only its task was worth waiting for: what it says about it after it has ended it is not.
  let isOwing = isFree()
  const silence = watchSilence(clock, {
    seconds: () => (isOwing ? MAX_ANSWER_SILENCE_S : MAX_CLOSING_SILENCE_S),
    mayEnd: () => plan.isRunFinished() && (isOwing ? isFree() && areOthersSilent() : owesNothing(team.state, by.name)),
    end: () => abort(isOwing ? SILENT : FINISHED),
  })
  return {
    get isSilent() {
      return silence.isSilent
    },
    hear(event) {
      // The sender waits for an answer to this.
      if (event?.type === 'input_received' && event.mail.length > 0 && isFree()) isOwing = true
      silence.hear(event)
    },
    stop: silence.stop,
  }
}

/** The run stops waiting for it. Its conversation ends in the middle and goes on from there when it is resumed. */
export async function park(
  { team, lead, emit: tell }: SupervisedTeamOptions,
  by: Author,
  voice: Reports,
): Promise<void> {
  const { name } = by
  const reason = `its model was silent for ${MAX_ANSWER_SILENCE_S} s, and the run had nothing else to wait for`
  const text = `${name} was parked in the middle of an answer: ${reason}. It goes on with it when the session is resumed.`
  await team.report([voice.message('idle_notification', text)], { by })
  await team.run({ type: 'member.park', name, reason }, { by: lead })
  tell({ type: 'problem', agent: name, text })
}
