import type { Presence } from '../../journal/log/store.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { pidIn } from '../../stores/identity.ts'
import { Refused } from '../program/failure.ts'

/** A process that runs the team would continue to work for a team that is gone. */
export async function refuseLiveSupervisor(
  { name, state }: Pick<TeamHandle, 'name' | 'state'>,
  presence: Presence,
  advice: string,
): Promise<void> {
  const { runtime } = state.supervisor.get()
  if (runtime === null || runtime === presence.self) return
  const seen = await presence.look(runtime)
  if (seen === 'dead') return
  const doubt = seen === 'unknown' ? ', on another machine or in another container,' : ''
  throw new Refused({
    code: 'supervised',
    message: `Team ${name} is run by process ${pidIn(runtime)}${doubt} right now. ${advice}`,
  })
}
