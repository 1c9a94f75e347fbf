import type { AlarmClock } from '../journal/clock.ts'
import type { Log, Store } from '../journal/log/store.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import type { Model } from '../models/model.ts'
import type { Hooks } from '../permissions/hooks/hooks.ts'
import type { Permissions } from '../permissions/permission.ts'
import type { AgentPermissionsOptions, Person } from '../permissions/permissions.ts'
import type { Sandbox } from '../permissions/sandbox/sandbox.ts'
import type { Eraser } from '../redaction/eraser.ts'
import type { Author } from '../team/event.ts'
import type { Plans } from '../team/members/plan-gate.ts'
import type { HandOffFiles } from '../team/plans/plan-views.ts'
import type { ResultDelivery } from '../team/progress/lead-wakes.ts'
import type { MessageRouting } from '../tools/message-routing.ts'
import type { Spelling } from '../tools/own-tool.ts'
import type { RoleRules } from '../tools/role-rules.ts'
import type { Skill } from '../tools/skills/read-skills.ts'
import type { AgentType } from '../tools/subagents/agent-type.ts'
import type { Tool } from '../tools/tool.ts'
import type { ToolSource } from '../tools/tool-source.ts'
import { type Limits, limitReached, type RunUsage } from './agent.ts'
import type { AskPlan } from './questions.ts'
import type { SessionEvent } from './session-event.ts'
import type { StallLimits } from './silence.ts'
import type { RoleGates, TaskCommits } from './task-commits.ts'
import type { VendorAgents } from './vendor-agents.ts'

/** What all agents of a session share. */
export interface SessionContext {
  readonly store: Store
  readonly clock: AlarmClock
  readonly model: Model
  /** Another model by its name. */
  modelFor(name: string): Promise<Model>
  readonly root: string
  readonly folders: readonly string[]
  /** Takes the user's secrets out of what is written and of what models get; undefined where there are none. */
  readonly eraser?: Eraser | undefined
  readonly env: Readonly<Record<string, string>>
  /** Where large outputs of a team's agents are kept, a folder each. */
  outputsOf(team: string): string
  /** Permissions of one agent under the rules of the session. No agent may do more than the lead. */
  permissionsFor(options: AgentPermissionsOptions): Permissions
  readonly permissionRequests: PermissionRequests
  readonly askPlan?: AskPlan | undefined
  /** Confines commands, where that works and is wanted. */
  readonly sandbox?: Sandbox | undefined
  readonly hooks?: Hooks | undefined
  /** A log that is gone with this process, for a conversation that is not kept. */
  openScratchLog(): Promise<Log>
  /** The rules of the organisation for messages, where there is one. */
  readonly routing?: MessageRouting | undefined
  /** The rules of the organisation for roles, where there is one. */
  readonly roles?: RoleRules | undefined
  readonly agentTypes: readonly AgentType[]
  /** Undefined where no agent type is another vendor's. */
  readonly vendorAgents?: VendorAgents | undefined
  /** Tools of the caller besides ours, for every agent. */
  readonly tools: readonly Tool[]
  /** Tools from elsewhere, for every agent; undefined where no MCP server is configured. */
  readonly toolSource?: ToolSource | undefined
  /** For the lead only. */
  readonly skills: readonly Skill[]
  /** Instructions of the project and the user, for every agent. */
  readonly instructions?: string | undefined
  readonly spelling: Spelling
  readonly limits: Limits
  /** The limits count all runs of the session together; else each run for itself. */
  readonly limitsAllRuns: boolean
  /** What is wrong with the last text of the lead at the end of a run, for the lead to correct; undefined if it may stay. */
  readonly checkAnswer?: ((text: string) => string | undefined) | undefined
  readonly maxOutput?: number | undefined
  readonly appendSystemPrompt?: string | undefined
  readonly supervisor: SupervisorSettings
  /** Roles whose agents code starts: the lead is not asked to start any, and results do not wake it. */
  readonly scaling: readonly ScaledRole[]
  /** Their members stay when a run ends. */
  readonly keepsMembers: boolean
  /** Watches the files that the runtime writes while a command of this agent runs; see `ToolContext`. */
  watchViews(agent: string): () => Promise<readonly string[]>
  /** Files of hand-offs of the organisation. */
  readonly handOffFiles?: HandOffFiles | undefined
  readonly commits: TaskCommits
  /** By the role of a member. */
  gatesOf(role: string): RoleGates
  /** Files that are changed and not committed; undefined where that is not checked. */
  uncommitted(): Promise<number | undefined>
  /** The run in progress, or the last one. */
  readonly run: Run
}

export interface Run {
  used: RunUsage
  /** Where events go. */
  emit: (event: SessionEvent) => void
  /** Why the last run ended in the middle of the work, if it did. */
  endedBy?: string | undefined
  /** Aborts it; resolves when nothing of it runs any more. */
  end: () => Promise<void>
  /** The lead is idle, and all that is left of the work of its teams is what members still say. */
  isFinished: () => boolean
  /** Something changed that may wake the lead or end the run. */
  onChange: () => void
}

export const DEFAULT_SUPERVISOR_SETTINGS: SupervisorSettings = {
  stall: 900,
  plans: 'lead',
  leadWakesAfterIdle: 20,
  resultDelivery: 'together',
}

export function stallLimits({ stall, silence = stall }: SupervisorSettings): StallLimits {
  return { stall, silence: Math.min(stall, silence) }
}

/** The limit that lets no agent of the run make another model call; undefined while there is none. */
export function limitOf({ limits, run }: Pick<SessionContext, 'limits' | 'run'>): ReturnType<typeof limitReached> {
  return limitReached(limits, run.used)
}

/** Who allows what no rule allows: a person, if one can be asked; else it is denied, and the lead learns of it. */
export interface PermissionRequests {
  readonly canAsk: boolean
  of(team: TeamHandle, by: Author): Person
  /** For a subagent of `by`, shown as `lead › explore`. What is denied stands in its report. */
  ofSubagent(team: TeamHandle, by: Author, agent: string): Person
}

/** A role with as many agents as there are ready tasks for it, up to `cap`. */
export interface ScaledRole {
  readonly role: string
  readonly cap: number
  /** `task`: each task is done by an agent of its own, once; `teammate`: by teammates that stay for the next task. */
  readonly mode: 'task' | 'teammate'
}

/** How the supervisor treats teammates. */
export interface SupervisorSettings {
  /** Seconds of silence after which a working teammate counts as lost. */
  readonly stall: number
  /** The same while no tool runs, where that is shorter; without it, as `stall`. */
  readonly silence?: number | undefined
  /** Seconds of idleness after which a teammate stops by itself; without it, never. */
  readonly idle?: number | undefined
  /** Who approves plans. */
  readonly plans: Plans
  /** Seconds for which a teammate is idle while results are unheard, after which the lead takes a turn. */
  readonly leadWakesAfterIdle: number
  readonly resultDelivery: ResultDelivery
  /** A person confirms the first teammates that the lead starts. By default not. */
  readonly confirmFirstSpawn?: boolean | undefined
}
