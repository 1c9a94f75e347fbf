import { editFile } from './files/edit-file.ts'
import { readFile } from './files/read-file.ts'
import { writeFile } from './files/write-file.ts'
import { taskOutput } from './jobs/task-output.ts'
import { taskStop } from './jobs/task-stop.ts'
import { mayRunInBackground, namesFor, pick } from './roles.ts'
import { glob } from './search/glob.ts'
import { createGrep } from './search/grep.ts'
import { createBash } from './shell/bash.ts'
import type { AgentType } from './subagents/agent-type.ts'
import { createTask, type TaskSettings } from './subagents/task.ts'
import { spawnThrough } from './team/members/spawn-teammate-text.ts'
import type { Spelling } from './team/spelling.ts'
import { officeTools, seatedTools } from './team/team-tools.ts'
import type { TeamControl } from './team-membership.ts'
import type { Tool } from './tool.ts'

export interface LeadSettings extends Omit<TaskSettings, 'spawn' | 'teammatesBy'> {
  /** Where it makes teams and teammates; without one it sits in no team and has no tools for it. */
  readonly office?: TeamControl | undefined
  readonly spelling?: Spelling | undefined
}

export interface TeammateSettings {
  /** May narrow what it does with shell and files; its place in the team stays the same. */
  readonly type?: AgentType | undefined
  readonly spelling?: Spelling | undefined
}

/** The tools of an agent that is no subagent. */
export function toolsFor(role: 'lead', settings: LeadSettings): Tool[]
export function toolsFor(role: 'teammate', settings?: TeammateSettings): Tool[]
export function toolsFor(role: 'lead' | 'teammate', settings: LeadSettings | TeammateSettings = {}): Tool[] {
  const own = 'runAgent' in settings ? leadTools(settings) : seatedTools
  const all = workingTools(mayRunInBackground(role))
  const narrow = 'type' in settings && settings.type ? pick(all, settings.type.tools) : all
  return pick([...narrow, ...own], namesFor(role, settings.spelling))
}

/** The tools of a subagent: what its type names, and never one that starts another. */
export function toolsForSubagent({ tools }: AgentType): Tool[] {
  return pick(workingTools(false), tools)
}

function leadTools({ office, spelling = 'team', ...settings }: LeadSettings): Tool[] {
  const jobs = [taskOutput, taskStop]
  if (!office) return [createTask(settings), ...jobs]
  const teammates = spelling === 'team' ? { spawn: spawnThrough(office) } : { teammatesBy: 'spawn_teammate' }
  return [...seatedTools, createTask({ ...settings, ...teammates }), ...jobs, ...officeTools(office)]
}

/** Made once: what a tool offers takes a while to work out, and everybody in a team has the same. */
const working = new Map<boolean, readonly Tool[]>()

function workingTools(background: boolean): readonly Tool[] {
  let tools = working.get(background)
  if (!tools) {
    tools = [createBash({ background }), readFile, writeFile, editFile, glob, createGrep()]
    working.set(background, tools)
  }
  return tools
}
