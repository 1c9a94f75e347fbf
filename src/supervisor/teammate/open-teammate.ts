import type { OpenAgent } from '../../agent/agent.ts'
import { type AgentOptions, openAgent } from '../../agent/open-agent.ts'
import { selectableModel } from '../../agent/selectable-model.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { isVendorType, VendorAgentRefused } from '../../agent/vendor-agents.ts'
import { createIds } from '../../journal/ids.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { closedChangeGate } from '../../permissions/permissions.ts'
import { blockerText } from '../../prompts/notices.ts'
import { teammatePrompt } from '../../prompts/system-prompt.ts'
import { remainingPath } from '../../team/board/remaining-path.ts'
import type { Author } from '../../team/event.ts'
import type { Member } from '../../team/members/member.ts'
import { heldBy } from '../../team/state.ts'
import { toolsForTeammate } from '../../tools/registry.ts'
import type { AgentType } from '../../tools/subagents/agent-type.ts'
import { hasServerTool, narrowedType } from '../../tools/subagents/narrow-type.ts'
import type { TeamMembership } from '../../tools/team-membership.ts'
import { withCommits } from '../commits/complete-task.ts'
import { countingUncommitted } from '../shutdown/shutdown.ts'
import { withHandOver } from './hand-over.ts'

const newId = createIds()

/** Opens a teammate, with its own conversation, mailbox and role: it runs the same loop as the lead, or another vendor's program. */
export async function openTeammate(
  context: SessionContext,
  team: TeamHandle,
  member: Member,
  by: Author,
): Promise<OpenAgent> {
  const { profile, name } = member
  const type = typeOfTeammate(context, member.role, profile?.agentType)
  const options = {
    team,
    by,
    log: await context.store.log(`${team.name}/transcripts/${name}`),
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
      changeGate: () => closedChangeGate(team, name),
      person: context.permissionRequests.of(team, by),
    },
    memberships: () => [{ team, by }],
    adaptMembership: (membership, own) =>
      withCommits(
        context,
        own,
        countingUncommitted(withPlanApprover(context, withHandOver(context, membership)), context.uncommitted),
      ),
    // A vendor's agent has its own tools for files and commands, and its own MCP servers.
    hasServerTool: (tool) => !isVendorType(type) && hasServerTool(type, tool),
    tools: () => [
      ...toolsForTeammate({
        type: isVendorType(type) ? { tools: [] } : type,
        spelling: context.spelling,
        routing: context.routing,
      }),
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
  } satisfies Omit<AgentOptions, 'model'>
  if (isVendorType(type)) {
    if (!context.vendorAgents)
      throw new VendorAgentRefused(
        `${name} is an agent of another vendor (${type.name}), which this session cannot run.`,
      )
    return context.vendorAgents.open(type, {
      ...{ team: team.name, name },
      openAgent: (own) => openAgent(context, { ...options, ...own }),
    })
  }
  // The organisation is the user's; the model of a spawn is the lead's wish.
  const model = context.roles?.typeOf(member.role)?.model ?? profile?.model ?? type?.model
  return openAgent(context, {
    ...options,
    model: model === undefined ? context.model : await context.modelFor(selectableModel(model)),
  })
}

/** What a teammate of this role and type is. */
export function typeOfTeammate(
  { agentTypes, roles }: Pick<SessionContext, 'agentTypes' | 'roles'>,
  role: string,
  agentType: string | null | undefined,
): AgentType | undefined {
  return narrowedType(
    roles?.typeOf(role),
    agentTypes.find(({ name }) => name === agentType),
  )
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
