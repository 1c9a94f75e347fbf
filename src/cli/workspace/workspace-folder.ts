import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { findRoot } from '../../stores/files/workspace-root.ts'
import type { Call } from '../program/context.ts'

/** The folder of the project, wherever in it the user is. */
export function workspaceFolder({ cwd, globals, env }: Call): string {
  return findRoot(resolve(cwd, globals.cwd ?? '.'), env, env.HOME || homedir()).workspace
}
