import type { Author, TeamEvent } from '../../team/event.ts'
import { type TeamHandle, USER } from '../team-handle.ts'
import { type Order, turnOnly } from './order.ts'

/** Events that no agent acts on. They are written when there is time, so their place differs from run to run. */
const UNORDERED = new Set<TeamEvent['type']>(['usage', 'agent.health', 'message.delivered', 'breaker.changed'])

/** The same team; what is written to it keeps the order of the run. `isOwn`: the team of the session itself. */
export function orderedTeam(team: TeamHandle, order: Order | undefined, isOwn: boolean): TeamHandle {
  if (!order) return team
  // The name of a session differs from run to run.
  const where = isOwn ? '' : ` in ${team.name}`
  const name = ({ name }: Author, what: string) => `${name} ${what}${where}`
  const run: TeamHandle['run'] = (command, as) =>
    order.step(name(as?.by ?? USER, command.type), () => team.run(command, as))
  const send: TeamHandle['send'] = (message, as) =>
    order.step(name(as?.by ?? USER, 'message.send'), () => team.send(message, as))
  const report: TeamHandle['report'] = (events, as) => {
    const types = events.flatMap(({ type }) => (UNORDERED.has(type) ? [] : type))
    if (types.length === 0) return team.report(events, as)
    return order.step(name(as?.by ?? USER, types.join(', ')), () => team.report(events, as))
  }
  return Object.create(team, {
    order: { value: order },
    run: { value: run },
    send: { value: send },
    report: { value: report },
  })
}

/** Waits for the place of what an agent does next among what others do, where the run is recorded or replayed. */
export async function inOrder({ order }: Pick<TeamHandle, 'order'>, name: string): Promise<void> {
  await order?.step(name, turnOnly)
}
