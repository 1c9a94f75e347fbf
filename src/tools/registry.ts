import { editFile } from './files/edit-file.ts'
import { readFile } from './files/read-file.ts'
import { writeFile } from './files/write-file.ts'
import { taskOutput } from './jobs/task-output.ts'
import { taskStop } from './jobs/task-stop.ts'
import type { OwnTool, Role, Spelling, ToolFactory, ToolName, ToolOptions } from './own-tool.ts'
import { glob } from './search/glob.ts'
import { grep } from './search/grep.ts'
import { bash } from './shell/bash.ts'
import { SIMPLE_NAMES } from './simple-names.ts'
import { skill } from './skills/skill.ts'
import type { AgentType } from './subagents/agent-type.ts'
import { task } from './subagents/task.ts'
import { taskCreate } from './team/board/task-create.ts'
import { taskGet } from './team/board/task-get.ts'
import { taskList } from './team/board/task-list.ts'
import { taskUpdate } from './team/board/task-update.ts'
import { listTeammates } from './team/members/list-teammates.ts'
import { teamCreate } from './team/members/team-create.ts'
import { teamDelete } from './team/members/team-delete.ts'
import { readInbox } from './team/messages/read-inbox.ts'
import { sendMessage } from './team/messages/send-message.ts'
import type { Tool } from './tool.ts'

/** An entry for every tool name: a missing tool is a type error. */
export type Registry = { readonly [Name in ToolName]: OwnTool<Name> | ToolFactory<Name> }

/** All our tools, in the order in which models see them. Which roles get a tool stands in the tool's own definition. */
const REGISTRY: Registry = {
  bash,
  read_file: readFile,
  write_file: writeFile,
  edit_file: editFile,
  glob,
  grep,
  TaskCreate: taskCreate,
  TaskUpdate: taskUpdate,
  TaskList: taskList,
  TaskGet: taskGet,
  SendMessage: sendMessage,
  send_message: SIMPLE_NAMES.send_message,
  broadcast: SIMPLE_NAMES.broadcast,
  read_inbox: readInbox,
  list_teammates: listTeammates,
  Task: task,
  TaskOutput: taskOutput,
  TaskStop: taskStop,
  spawn_teammate: SIMPLE_NAMES.spawn_teammate,
  TeamCreate: teamCreate,
  TeamDelete: teamDelete,
  Skill: skill,
}

/** The names of all tools in both spellings, for rules that name one. */
export const TOOL_NAMES: readonly string[] = Object.keys(REGISTRY)

export function namesFor(role: Role, spelling: Spelling = 'team'): string[] {
  return offeredTo(role, spelling).map(({ name }) => name)
}

export type LeadToolOptions = Omit<ToolOptions, 'role' | 'spelling'> &
  Required<Pick<ToolOptions, 'agentTypes' | 'runSubagent'>> & {
    readonly spelling?: Spelling | undefined
    /** Narrows the tools for shell and files; those of the team stay. */
    readonly type?: Pick<AgentType, 'tools'> | undefined
  }

/** Without `teamControl` the lead is in no team, and has no tools for one. */
export function toolsForLead({ spelling = 'team', type, ...options }: LeadToolOptions): Tool[] {
  const forCode = new Set(namesFor('code'))
  const offered = offeredTo('lead', spelling).filter(
    ({ name, needsTeam }) =>
      (!needsTeam || options.teamControl) && (!type || !forCode.has(name) || type.tools.includes(name)),
  )
  return createTools(offered, { ...options, role: 'lead', spelling })
}

export interface TeammateToolOptions {
  /** Narrows the tools for shell and files; those of the team stay. */
  readonly type?: Pick<AgentType, 'tools'> | undefined
  readonly spelling?: Spelling | undefined
  readonly routing?: ToolOptions['routing']
}

export function toolsForTeammate({ type, spelling = 'team', routing }: TeammateToolOptions = {}): Tool[] {
  const offered = offeredTo('teammate', spelling).filter(
    ({ name, needsTeam }) => needsTeam || !type || type.tools.includes(name),
  )
  return createTools(offered, { role: 'teammate', spelling, routing })
}

/** The tools that its type names; none of them starts another agent. */
export function toolsForSubagent({ tools }: AgentType): Tool[] {
  const offered = offeredTo('code', 'team').filter(({ name }) => tools.includes(name))
  return createTools(offered, { role: 'code', spelling: 'team' })
}

function offeredTo(role: Role, spelling: Spelling): (OwnTool | ToolFactory)[] {
  return Object.values(REGISTRY).filter(
    (entry) => entry.roles.includes(role) && (entry.spelling ?? spelling) === spelling,
  )
}

function createTools(entries: readonly (OwnTool | ToolFactory)[], options: ToolOptions): Tool[] {
  return entries.flatMap((entry) => ('create' in entry ? (entry.create(options) ?? []) : entry))
}
