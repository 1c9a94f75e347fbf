import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { hashOfToken } from '../../../journal/member-token.ts'
import { TeamError } from '../../../team/errors.ts'
import { nameKey } from '../../../team/name.ts'
import type { TeamState } from '../../../team/state.ts'
import { codeOf, type Disk, ifMissing, realDisk, removeIfExists } from '../disk.ts'
import { makeFolder } from '../folders.ts'
import { replaceFile } from '../replace-file.ts'
import { stateFolder } from './trust.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Writes a token where only this user can read it, before the journal names it: a process that dies in between leaves a file
 * without use, and the token before it stays in force. Returns the path.
 */
export function keepMemberToken(
  env: Env,
  state: TeamState,
  name: string,
  token: string,
  disk: Disk = realDisk,
): string {
  const path = tokenPath(env, state, name, hashOfToken(token))
  try {
    makeFolder(disk, dirname(path))
    replaceFile(disk, path, Buffer.from(`${token}\n`))
  } catch (error) {
    throw new TokenNotKept(path, error)
  }
  return path
}

/** Removes the files of tokens that are not in force: they were replaced, or the journal never named them. */
export function removeOldTokens(env: Env, state: TeamState, name: string, disk: Disk = realDisk): void {
  removeTokensBut(tokenPath(env, state, name, state.tokens.get(nameKey(name)) ?? ''), name, disk)
}

/** Removes all token files of a member that has left: it gets a new one if it joins again. */
export function removeMemberTokens(env: Env, state: TeamState, name: string, disk: Disk = realDisk): void {
  removeTokensBut(tokenPath(env, state, name, ''), name, disk)
}

/** Removes the token files of a team that is gone. */
export function removeTeamTokens(env: Env, team: { name: string; id: string }, disk: Disk = realDisk): void {
  disk.removeSync(tokenFolder(env, team))
}

function removeTokensBut(current: string, name: string, disk: Disk): void {
  for (const file of ifMissing([], () => disk.readdirSync(dirname(current)))) {
    const path = join(dirname(current), file)
    if (path !== current && isTokenOf(file, name)) removeIfExists(disk, path)
  }
}

/** The file with the token of a member that is in force; undefined where this user has none. */
export function tokenFileOf(env: Env, state: TeamState, name: string, disk: Disk = realDisk): string | undefined {
  const hash = state.tokens.get(nameKey(name))
  const path = hash === undefined ? undefined : tokenPath(env, state, name, hash)
  return path !== undefined && disk.statSync(path) ? path : undefined
}

/** The token by which this process acts as a member: `DESKMATES_MEMBER_TOKEN`, else the file of this user. */
export function findMemberToken(env: Env, state: TeamState, name: string, disk: Disk = realDisk): string | undefined {
  const { DESKMATES_MEMBER_TOKEN: given } = env
  if (given) return given.trim()
  const hash = state.tokens.get(nameKey(name))
  if (hash === undefined) return undefined
  try {
    return disk
      .readFileSync(tokenPath(env, state, name, hash))
      .toString()
      .trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EACCES') return undefined
    throw error
  }
}

/** Two names never share a file: a name has no dot. */
function tokenPath(env: Env, state: TeamState, name: string, hash: string): string {
  const { name: team, id } = state.team.get() ?? { name: '', id: '' }
  return join(tokenFolder(env, { name: team, id }), `${nameKey(name)}.${hash.slice(0, 16)}`)
}

function tokenFolder(env: Env, { name, id }: { name: string; id: string }): string {
  return join(stateFolder(env), 'tokens', `${nameKey(name)}-${shortHash(id)}`)
}

function isTokenOf(file: string, name: string): boolean {
  const [member, hash, ...rest] = file.split('.')
  return member === nameKey(name) && hash !== undefined && rest.length === 0
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

class TokenNotKept extends TeamError {
  readonly code = 'token_not_kept'
  constructor(path: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`Cannot write the token to ${path} (${why}). Set DESKMATES_STATE to a folder you can write to.`, { cause })
  }
}
