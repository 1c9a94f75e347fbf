import type { Tool } from '../ports/tool.ts'
import { createBash } from '../tools/bash.ts'
import { editFile } from '../tools/edit-file.ts'
import { glob } from '../tools/glob.ts'
import { createGrep } from '../tools/grep.ts'
import { readFile } from '../tools/read-file.ts'
import { taskOutput } from '../tools/task-output.ts'
import { taskStop } from '../tools/task-stop.ts'
import { writeFile } from '../tools/write-file.ts'

export function leadTools(): Tool[] {
  return [createBash(), readFile, writeFile, editFile, glob, createGrep(), taskOutput, taskStop] as Tool[]
}
