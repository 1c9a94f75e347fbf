import type { OpenAgent } from '../../agent/agent.ts'
import type { Waking } from '../../agent/input/inbox.ts'
import type { Membership } from '../../agent/membership.ts'
import { openAgent } from '../../agent/open-agent.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { createSubagentRunner } from '../../agent/subagent.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import type { Model } from '../../models/model.ts'
import { leadPrompt } from '../../prompts/system-prompt.ts'
import { roster } from '../../team/state.ts'
import { toolsForLead } from '../../tools/registry.ts'
import type { AgentType } from '../../tools/subagents/agent-type.ts'
import { hasServerTool, sharedTools } from '../../tools/subagents/narrow-type.ts'
import type { TeamControl } from '../../tools/team-control.ts'
import { withCommits } from '../commits/complete-task.ts'
import { createSpawnConfirmation } from '../requests/confirm-spawn.ts'
import { checkingAnswers } from './subagent-answers.ts'

export interface LeadOptions {
  /** Every team it leads, its own first. */
  teams(): readonly Membership[]
  readonly control: TeamControl
  readonly model: Model
  readonly waking: Waking
  onNotice(): void
}

/** Opens the lead: one conversation that receives the mail of every team it leads. */
export async function openLead(context: SessionContext, options: LeadOptions): Promise<OpenAgent> {
  const { teams, control, waking, onNotice } = options
  const [{ team, by }] = teams() as [Membership]
  const lead: OpenAgent = await openAgent(context, {
    team,
    by,
    log: await context.store.log(`${team.name}/transcripts/lead`),
    model: options.model,
    system: leadPrompt({
      team: team.name,
      root: context.root,
      folders: context.folders,
      append: context.appendSystemPrompt,
    }),
    permissions: {
      person: context.permissionRequests.of(team, by),
      ...(context.supervisor.confirmFirstSpawn && {
        confirm: createSpawnConfirmation(() => lead.transcript.state),
      }),
    },
    memberships: teams,
    adaptMembership: (membership, own) => withCommits(context, own, membership),
    waking,
    onNotice,
    // Other agents wait for the lead.
    urgency: () => Number.POSITIVE_INFINITY,
    ingest: atMostEvery(INGEST_INTERVAL_MS, async () => {
      for (const { team } of teams()) await team.ingest()
    }),
    hasServerTool: (tool) => hasServerTool(context.roles?.lead, tool),
    tools(recordUsage) {
      const personFor = (agent: string) => context.permissionRequests.ofSubagent(team, by, agent)
      // Teammates that answer messages come first: a subagent may wait for them.
      const isFinished = () => context.run.isFinished() && !teams().some(({ team }) => hasWorkingTeammate(team))
      const parent = { name: by.name, recordUsage, personFor, isFinished }
      const run = checkingAnswers(context, { team, by }, createSubagentRunner(context, parent))
      const type = context.roles?.lead
      const isOfRole = ({ name }: AgentType) => context.roles?.oneShots.some((one) => one.name === name)
      // What a lead may not use its subagents may not either; one-shot roles have tools of their own.
      const runSubagent: typeof run = (options, ...rest) =>
        run(type && !isOfRole(options.type) ? { ...options, type: narrowed(options.type, type) } : options, ...rest)
      return [...toolsForLead({ ...context, type, runSubagent, teamControl: control }), ...context.tools]
    },
  })
  return lead
}

function narrowed(type: AgentType, { tools }: Pick<AgentType, 'tools'>): AgentType {
  return { ...type, tools: sharedTools(type.tools, tools) }
}

function hasWorkingTeammate({ state }: TeamHandle): boolean {
  return roster(state).some(({ name, kind, status }) => kind === 'agent' && status === 'working' && name !== 'lead')
}

/** Shorter than any model call, so mailbox files are read before each of them. */
const INGEST_INTERVAL_MS = 100

function atMostEvery(milliseconds: number, work: () => Promise<void>): () => Promise<void> {
  let last = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - last < milliseconds) return
    await work()
    last = performance.now()
  }
}
