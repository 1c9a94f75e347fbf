import { isFinished, owesNothing } from '../../team/finished.ts'
import { heldBy } from '../../team/state.ts'
import type { CrewPlan } from './crew-plan.ts'

/** Seconds of silence after which the run stops waiting for the closing words of a teammate whose team is finished. */
const CLOSING_SILENCE = 30

/** The reason by which a turn is aborted that would bring only closing words. */
export const FINISHED = Object.assign(new Error('Its team is finished.'), { name: 'AbortError' })

/** Calls `end` when a turn that began with a task falls silent after the whole team's work has ended. */
export function watchClosingWords({ team, clock }: Pick<CrewPlan, 'team' | 'clock'>, name: string, end: () => void) {
  // Only its task was worth waiting for: what it says about it after it has ended it is not.
  const hadTask = heldBy(team.state, name) !== undefined
  let cancel = () => {}
  function restart(): void {
    cancel()
    if (!hadTask) return
    cancel = clock.in(CLOSING_SILENCE, () =>
      owesNothing(team.state, name) && isFinished(team.state) ? end() : restart(),
    )
  }
  return { restart, stop: () => cancel() }
}
