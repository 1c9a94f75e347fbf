import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { findProgram } from '../../permissions/processes/find-program.ts'
import { runProgram } from '../../permissions/processes/run-program.ts'

/** Where and how git is asked. */
export interface GitQuestion {
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Why a summary that no journal of this workspace confirms does not count: any command of an agent could have written it,
 * unless it is committed. Outside of a repository there is nothing to compare it with, and it counts.
 */
export async function doubtOf(file: string, { root, env }: GitQuestion): Promise<string | undefined> {
  const git = findProgram('git', env.PATH, [root])
  if (git === undefined) return undefined
  const ask = (...args: string[]) =>
    runProgram({
      file: git.file,
      args,
      cwd: dirname(file),
      env: { PATH: env.PATH ?? '', ...QUIET },
      timeout: TIMEOUT_MS,
    })
  if ((await ask('rev-parse', '--is-inside-work-tree')).stdout.trim() !== 'true') return undefined
  const committed = (await ask('rev-parse', '--verify', '--quiet', `HEAD:./${basename(file)}`)).stdout.trim()
  if (committed === '') return 'is not committed'
  return committed === blobId(file, committed.length) ? undefined : 'differs from the committed one'
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
