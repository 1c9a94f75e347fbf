import { defineTool, jsonSchemaOf, type ToolDefinition } from './define-tool.ts'
import type { MessageRouting } from './message-routing.ts'
import { withCanonicalNames } from './parameter-names.ts'
import type { Skill } from './skills/read-skills.ts'
import type { AgentType } from './subagents/agent-type.ts'
import type { RunSubagent } from './subagents/run-subagent.ts'
import type { TeamControl } from './team-control.ts'
import type { Tool } from './tool.ts'

/** The role of an agent decides which tools it gets. explore, plan and code are subagents. */
export type Role = 'lead' | 'teammate' | 'explore' | 'plan' | 'code'
export const ALL_ROLES: readonly Role[] = ['lead', 'teammate', 'explore', 'plan', 'code']

/**
 * Two sets of names for the same operations; an agent is offered one of them.
 *
 * team     SendMessage, TeamCreate, TeamDelete, Task with a name
 * simple   send_message, broadcast, read_inbox, spawn_teammate, list_teammates
 */
export const SPELLINGS = ['team', 'simple'] as const
export type Spelling = (typeof SPELLINGS)[number]

/** The names of all our tools. The registry must have an entry for each, and a tool can have no other name. */
export type ToolName =
  | ('bash' | 'read_file' | 'write_file' | 'edit_file' | 'glob' | 'grep')
  | ('TaskCreate' | 'TaskUpdate' | 'TaskList' | 'TaskGet')
  | ('SendMessage' | 'send_message' | 'broadcast' | 'read_inbox' | 'list_teammates')
  | ('Task' | 'TaskOutput' | 'TaskStop' | 'spawn_teammate')
  | ('TeamCreate' | 'TeamDelete' | 'Skill')

/** Which agents get a tool. */
export interface Offered<Name extends ToolName = ToolName> {
  readonly name: Name
  readonly roles: readonly Role[]
  /** The only spelling that has it; undefined: both have it. */
  readonly spelling?: Spelling | undefined
  /** Not for an agent that is in no team. */
  readonly needsTeam?: boolean | undefined
}

/** A tool that is the same for all agents that get it. */
export interface OwnTool<Name extends ToolName = ToolName, Input = unknown> extends Tool<Input>, Offered<Name> {
  readonly name: Name
}

/** A tool that is made for one agent. */
export interface ToolFactory<Name extends ToolName = ToolName> extends Offered<Name> {
  /** Undefined where the session lacks what the tool needs. */
  create(options: ToolOptions): Tool | undefined
}

/** What the tools of one agent are made with. */
export interface ToolOptions {
  readonly role: Role
  readonly spelling: Spelling
  readonly agentTypes?: readonly AgentType[] | undefined
  readonly runSubagent?: RunSubagent | undefined
  /** Creates teams and teammates; undefined for a lead without teams. */
  readonly teamControl?: TeamControl | undefined
  readonly skills?: readonly Skill[] | undefined
  /** The rules of the organisation for messages. */
  readonly routing?: MessageRouting | undefined
}

export interface OwnToolDefinition<Name extends ToolName, Input> extends ToolDefinition<Input>, Offered<Name> {
  readonly name: Name
  /** Other names under which models write a parameter, each with the name it stands for: `task_id: 'taskId'`. */
  readonly synonyms?: Readonly<Record<string, string>>
}

/** Defines a tool of ours; unlike a user's tool it names the roles that get it. */
export function defineOwnTool<Name extends ToolName, Input>(
  definition: OwnToolDefinition<Name, Input>,
): OwnTool<Name, Input> {
  const { name, roles, spelling, needsTeam, synonyms, input, schema = jsonSchemaOf(name, input) } = definition
  const tool = defineTool({ ...definition, schema, input: synonyms ? withCanonicalNames(input, synonyms) : input })
  return { ...tool, name, roles, spelling, needsTeam }
}
