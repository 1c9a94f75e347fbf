import type { Tool } from '../ports/tool.ts'
import type { AgentType } from './agents/agent-type.ts'
import { createBash } from './bash.ts'
import { editFile } from './edit-file.ts'
import { glob } from './glob.ts'
import { createGrep } from './grep.ts'
import { readFile } from './read-file.ts'
import { mayRunInBackground, namesFor, pick, type Role } from './roles.ts'
import { createTask, type TaskSettings } from './task.ts'
import { taskOutput } from './task-output.ts'
import { taskStop } from './task-stop.ts'
import { writeFile } from './write-file.ts'

/** The tools of an agent that is no subagent. */
export function toolsFor(role: Role, settings: TaskSettings): Tool[] {
  const own = [createTask(settings), taskOutput, taskStop]
  return pick([...workingTools(mayRunInBackground(role)), ...own], namesFor(role))
}

/** The tools of a subagent: what its type names, and never one that starts another. */
export function toolsForSubagent({ tools }: AgentType): Tool[] {
  return pick(workingTools(false), tools)
}

function workingTools(background: boolean): Tool[] {
  return [createBash({ background }), readFile, writeFile, editFile, glob, createGrep()]
}
