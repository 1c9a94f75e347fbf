import type { OpenAgent } from '../agent/agent.ts'
import { chosen } from '../agent/chosen-model.ts'
import { openAgent } from '../agent/open-agent.ts'
import type { SessionContext } from '../agent/session-context.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import { closedPlanGate } from '../permissions/plan-gate.ts'
import { teammatePrompt } from '../prompts/system-prompt.ts'
import type { Author } from '../team/event.ts'
import type { Member } from '../team/member.ts'
import { remainingPath } from '../team/remaining-path.ts'
import { heldBy } from '../team/state.ts'
import { toolsForTeammate } from '../tools/registry.ts'
import type { TeamMembership } from '../tools/team-membership.ts'
import { countingUncommitted } from './shutdown.ts'

/** Opens a teammate: the same loop as the lead's, with its own conversation, mailbox and role. */
export async function openTeammate(
  home: SessionContext,
  team: TeamHandle,
  member: Member,
  by: Author,
): Promise<OpenAgent> {
  const { profile, name } = member
  const type = home.agentTypes.find((one) => one.name === profile?.agentType)
  const model = profile?.model ?? type?.model
  return openAgent(home, {
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
    permissions: {
      isReadOnly: type?.isReadOnly ?? false,
      hasLead: true,
      planGate: () => closedPlanGate(team, name),
      person: home.permissionRequests.of(team, by),
    },
    memberships: () => [{ team, by }],
    adaptMembership: (membership) => countingUncommitted(askingWhom(home, membership), home.uncommitted),
    tools: () => [...toolsForTeammate({ type, spelling: home.spelling }), ...home.tools],
    urgency() {
      const task = heldBy(team.state, name)
      return task ? remainingPath(team.state, task.id) : 0
    },
  })
}

/** Plans go to the approver of the settings, not to whom the model names; what a rule decides does not wake the lead. */
function askingWhom({ supervisor: crew }: SessionContext, seat: TeamMembership): TeamMembership {
  if (crew.plans === 'lead') return seat
  const run: TeamMembership['run'] = (command) =>
    seat.run(command.type === 'request.open' && command.kind === 'plan_approval' ? { ...command, to: 'user' } : command)
  return Object.create(seat, { run: { value: run } })
}
