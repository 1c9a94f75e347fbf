import type { OpenAgent } from '../../agent/agent.ts'
import { openAgent } from '../../agent/open-agent.ts'
import { selectableModel } from '../../agent/selectable-model.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { createIds } from '../../journal/ids.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { closedPlanGate } from '../../permissions/permissions.ts'
import { blockerText } from '../../prompts/notices.ts'
import { teammatePrompt } from '../../prompts/system-prompt.ts'
import { remainingPath } from '../../team/board/remaining-path.ts'
import type { Author } from '../../team/event.ts'
import type { Member } from '../../team/members/member.ts'
import { heldBy } from '../../team/state.ts'
import { toolsForTeammate } from '../../tools/registry.ts'
import { hasServerTool, narrowedType } from '../../tools/subagents/narrow-type.ts'
import type { TeamMembership } from '../../tools/team-membership.ts'
import { withCommits } from '../commits/complete-task.ts'
import { countingUncommitted } from '../shutdown/shutdown.ts'
import { withHandOver } from './hand-over.ts'

const newId = createIds()

/** Opens a teammate: it runs the same loop as the lead, with its own conversation, mailbox and role. */
export async function openTeammate(
  context: SessionContext,
  team: TeamHandle,
  member: Member,
  by: Author,
): Promise<OpenAgent> {
  const { profile, name } = member
  const spawned = context.agentTypes.find((one) => one.name === profile?.agentType)
  const ofRole = context.roles?.typeOf(member.role)
  const type = narrowedType(ofRole, spawned)
  // The organisation is the user's; the model of a spawn is the lead's wish.
  const model = ofRole?.model ?? profile?.model ?? type?.model
  return openAgent(context, {
    team,
    by,
    log: await context.store.log(`${team.name}/transcripts/${name}`),
    model: model === undefined ? context.model : await context.modelFor(selectableModel(model)),
    system: teammatePrompt({
      team: team.name,
      root: context.root,
      folders: context.folders,
      name,
      role: member.role,
      send: context.spelling === 'simple' ? 'send_message' : 'SendMessage',
      type,
      append: context.instructions,
    }),
    permissions: {
      isReadOnly: type?.isReadOnly ?? false,
      hasLead: true,
      planGate: () => closedPlanGate(team, name),
      person: context.permissionRequests.of(team, by),
    },
    memberships: () => [{ team, by }],
    adaptMembership: (membership, own) =>
      withCommits(
        context,
        own,
        countingUncommitted(withPlanApprover(context, withHandOver(context, membership)), context.uncommitted),
      ),
    hasServerTool: (tool) => hasServerTool(type, tool),
    tools: () => [
      ...toolsForTeammate({ type, spelling: context.spelling, routing: context.routing }),
      ...context.tools,
    ],
    reportBlocker(blocker) {
      const to = context.routing?.superiorOf?.(name, team.state) ?? 'lead'
      const content = blockerText(name, heldBy(team.state, name)?.id, blocker)
      const message = { id: newId(), type: 'error', from: name, to, content, timestamp: context.clock.now() } as const
      // A journal that cannot be written stops the agent at its next step.
      team.report([{ type: 'message.sent', message }], { by, until: 'written' }).catch(() => {})
    },
    urgency() {
      const task = heldBy(team.state, name)
      return task ? remainingPath(team.state, task.id) : 0
    },
  })
}

/** Sends plans to the approver of the settings, not to the one that the model names, so that a rule does not wake the lead. */
function withPlanApprover({ supervisor }: SessionContext, membership: TeamMembership): TeamMembership {
  if (supervisor.plans === 'lead') return membership
  const run: TeamMembership['run'] = (command, commandId) =>
    membership.run(
      command.type === 'request.open' && command.kind === 'plan_approval' ? { ...command, to: 'user' } : command,
      commandId,
    )
  return Object.create(membership, { run: { value: run } })
}
