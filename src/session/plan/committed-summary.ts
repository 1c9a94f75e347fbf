import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findProgram } from '../../permissions/processes/find-program.ts'
import { runProgram } from '../../permissions/processes/run-program.ts'
import type { Workspace } from '../../workspace.ts'

/** Where and how git is asked. */
export interface GitQuestion {
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** See `firstAgentMs`. */
  firstAgent(): Promise<number>
}

/**
 * Why a summary that no journal of this workspace confirms does not count: any command of an agent could have written it,
 * unless it is committed, or, outside of a repository, older than the first agent that worked here.
 */
export async function doubtOf(file: string, { root, env, firstAgent }: GitQuestion): Promise<string | undefined> {
  const git = findProgram('git', env.PATH, [root])
  const ask = (...args: string[]) =>
    runProgram({
      file: git?.file ?? '',
      args,
      cwd: dirname(file),
      env: { PATH: env.PATH ?? '', ...QUIET },
      timeout: TIMEOUT_MS,
    })
  const isInside = git !== undefined && (await ask('rev-parse', '--is-inside-work-tree')).stdout.trim() === 'true'
  if (!isInside)
    return isOlder(file, await firstAgent()) ? undefined : 'is in no repository, and an agent may have made it'
  const committed = (await ask('rev-parse', '--verify', '--quiet', `HEAD:./${basename(file)}`)).stdout.trim()
  if (committed === '') return 'is not committed'
  return committed === blobId(file, committed.length) ? undefined : 'differs from the committed one'
}

/** The time of the last change of its inode, which no program can set. */
function isOlder(file: string, firstAgentMs: number): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.ctimeMs < firstAgentMs
}

/**
 * When the first agent began to work in this workspace, in milliseconds since 1970: infinitely late where none did, and
 * infinitely early where that cannot be told.
 */
export async function firstAgentMs({ store, teamsFolder }: Pick<Workspace, 'store' | 'teamsFolder'>): Promise<number> {
  let first = Number.POSITIVE_INFINITY
  if (teamsFolder === undefined) return Number.NEGATIVE_INFINITY
  for (const team of await store.teams()) {
    const folder = join(teamsFolder, team)
    if (!existsSync(folder)) return Number.NEGATIVE_INFINITY
    const stat = lstatSync(join(folder, 'transcripts'), { throwIfNoEntry: false })
    if (stat) first = Math.min(first, stat.birthtimeMs > 0 ? stat.birthtimeMs : Number.NEGATIVE_INFINITY)
  }
  return first
}

const TIMEOUT_MS = 10_000

/** Both questions read refs and trees only: nothing that the repository configures is run, and nothing is fetched. */
const QUIET = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: '',
  LC_ALL: 'C',
}

const SHA256_LENGTH = 64

/** The id that git gives to this content. */
function blobId(file: string, length: number): string {
  const content = readFileSync(file)
  const hash = createHash(length === SHA256_LENGTH ? 'sha256' : 'sha1')
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex')
}
