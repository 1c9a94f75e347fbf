import { realpathSync } from 'node:fs'
import { thisMachine } from '../stores/identity.ts'
import type { SessionFolder } from '../team/members/session-folder.ts'
import { type Refusal, refuse } from '../team/refusal.ts'
import type { TeamState } from '../team/state.ts'
import type { Workspace } from '../workspace.ts'

/**
 * The folder to which sessions of this workspace belong. Undefined where `.teams` is in that folder: a session then
 * belongs to the folder that contains it, also after the folder was moved.
 */
export function folderOf({ teamsFolder, root, workspace }: Workspace): SessionFolder | undefined {
  if (teamsFolder !== undefined && root === workspace) return undefined
  return { machine: thisMachine(), path: realpathSync(workspace) }
}

/** Whether this session was last opened in this folder of this machine. Unknown for sessions of older versions in a database. */
export function belongsHere({ supervisor }: TeamState, workspace: Workspace): boolean {
  const here = folderOf(workspace)
  const { folder } = supervisor.get()
  if (!here) return true
  if (!folder) return workspace.teamsFolder !== undefined
  return folder.machine === here.machine && folder.path === here.path
}

/**
 * Why a session must not be resumed here: its commands would run in another folder than before. The
 * same path on another machine counts as a copy of the same project.
 */
export function whyNotHere({ supervisor }: TeamState, workspace: Workspace, session: string): Refusal | undefined {
  const here = folderOf(workspace)
  const { folder } = supervisor.get()
  if (!here || !folder || folder.path === here.path) return undefined
  const isOtherMachine = folder.machine !== here.machine
  return refuse('other_folder', { session, folder: folder.path, here: here.path, isOtherMachine })
}
