import type { Seat } from '../ports/seat.ts'
import { mailNews } from '../runtime/converse/mail-news.ts'
import { behindGate } from '../runtime/crew/gate.ts'
import { countingUncommitted } from '../runtime/crew/leave.ts'
import { createSeat } from '../runtime/seat.ts'
import type { Team } from '../runtime/team.ts'
import type { Author } from '../team/event.ts'
import type { Member } from '../team/member.ts'
import { remainingPath } from '../team/remaining-path.ts'
import { heldBy } from '../team/state.ts'
import { toolsFor } from '../tools/toolbox.ts'
import { chosen } from './chosen-model.ts'
import { type Desk, openDesk } from './desk.ts'
import type { Home } from './home.ts'
import { teammatePrompt } from './system-prompt.ts'
import { countUncommitted } from './uncommitted.ts'

/** A teammate's desk: the same loop as the lead's, with its own conversation, mailbox and role. */
export async function openTeammateDesk(home: Home, team: Team, member: Member, by: Author): Promise<Desk> {
  const { profile, name } = member
  const type = home.agentTypes.find((one) => one.name === profile?.agentType)
  const model = profile?.model ?? type?.model
  const permits = home.permits(type?.isReadOnly ?? false, true, home.askers.of(team, by))
  return openDesk({
    home,
    team,
    by,
    log: await home.store.log(`${team.name}/transcripts/${name}`),
    model: model === undefined ? home.model : await home.modelFor(chosen(model)),
    system: teammatePrompt({
      team: team.name,
      root: home.root,
      folders: home.folders,
      name,
      role: member.role,
      send: home.spelling === 'simple' ? 'send_message' : 'SendMessage',
      type,
      append: home.instructions,
    }),
    permits,
    mayDo: behindGate(team, by, permits.mayDo),
    limits: home.limits,
    used: () => home.run.used,
    seats(isHeard) {
      const seat = countingUncommitted(askingWhom(home, createSeat(team, by, isHeard)), () => countUncommitted(home))
      return { seat: (named) => (named === undefined || named === team.name ? seat : undefined), teams: [team.name] }
    },
    tools: () => [...toolsFor('teammate', { type, spelling: home.spelling }), ...home.tools],
    urgency() {
      const task = heldBy(team.state, name)
      return task ? remainingPath(team.state, task.id) : 0
    },
    listen: ({ transcript, notices }, portion) => mailNews({ team, transcript, notices, portion }, by),
    acknowledge: async (ids, turn) => void (await team.acknowledge(name, ids, null, { by, turn })),
  })
}

/** Plans go to the approver of the settings, not to whom the model names; what a rule decides does not wake the lead. */
function askingWhom({ crew }: Home, seat: Seat): Seat {
  if (crew.plans === 'lead') return seat
  const run: Seat['run'] = (command) =>
    seat.run(command.type === 'request.open' && command.kind === 'plan_approval' ? { ...command, to: 'user' } : command)
  return Object.create(seat, { run: { value: run } })
}
