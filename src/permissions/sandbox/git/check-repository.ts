import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isInsideAny } from '../../paths/places.ts'
import { namesIn, orUndefined, readPlainFile, realPath, statusOf } from '../../paths/safe-reads.ts'
import type { Repository } from './find-repositories.ts'
import { firstUnsafe, readGitConfig } from './git-config.ts'

/**
 * Why a repository that a command made would let git run a program, or read its configuration where it can be changed
 * later; undefined if it would not. `writable` are the folders of agents, `readOnly` those in them they cannot change.
 */
export function whyUnsafe(
  { path, isBare }: Repository,
  writable: readonly string[],
  readOnly: readonly string[],
): string | undefined {
  const stats = statusOf(path)
  if (stats === undefined) return undefined
  if (isBare || stats.isDirectory()) return whyFolderUnsafe(path)
  if (stats.isSymbolicLink())
    return isOutside(path, writable, readOnly) ? undefined : 'it is a link to a folder of agents'
  const target = gitFolderNamedBy(path)
  if (target === undefined) return undefined
  return isOutside(target, writable, readOnly) ? undefined : 'it names a folder of agents'
}

/** The folder that a `.git` file names. */
export function gitFolderNamedBy(file: string): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(readPlainFile(file)?.toString() ?? '')?.[1]
  return named === undefined ? undefined : resolve(dirname(file), named.trim())
}

function isOutside(path: string, writable: readonly string[], readOnly: readonly string[]): boolean {
  const real = realPath(path)
  // It leads nowhere yet; a command could make what it leads to.
  if (real === undefined) return false
  return !isInsideAny(writable, real) || isInsideAny(readOnly, real)
}

const MAX_DEPTH = 8

function whyFolderUnsafe(folder: string, depth = 0): string | undefined {
  for (const name of ['commondir', 'config.worktree']) if (statusOf(join(folder, name))) return `it has a file ${name}`
  for (const name of ['config', 'HEAD', 'hooks', 'modules', 'worktrees'])
    if (statusOf(join(folder, name))?.isSymbolicLink()) return `its ${name} is a link`
  const text = readPlainFile(join(folder, 'config'))?.toString()
  if (text === undefined && statusOf(join(folder, 'config'))) return 'its config is not a plain file'
  const entries = text === undefined ? [] : readGitConfig(text)
  if (entries === undefined) return 'its config is not in the form git writes'
  const key = firstUnsafe(entries)
  if (key !== undefined) return `its config sets ${key}`
  const hook = namesIn(join(folder, 'hooks')).find((name) => isProgram(join(folder, 'hooks', name)))
  if (hook !== undefined) return `it has the hook ${hook}`
  if (namesIn(join(folder, 'worktrees')).length > 0) return 'it has worktrees'
  return innerUnsafe(join(folder, 'modules'), depth)
}

/** The repositories of submodules, which may lie several folders deep. */
function innerUnsafe(folder: string, depth: number): string | undefined {
  for (const name of namesIn(folder)) {
    const inner = join(folder, name)
    if (!statusOf(inner)?.isDirectory()) continue
    if (depth >= MAX_DEPTH) return 'its submodules lie too deep'
    const why = existsSync(join(inner, 'HEAD')) ? whyFolderUnsafe(inner, depth + 1) : innerUnsafe(inner, depth + 1)
    if (why !== undefined) return `in its submodule ${name} ${why}`
  }
  return undefined
}

function isProgram(path: string): boolean {
  const mode = orUndefined(() => statSync(path).mode) ?? 0
  return !path.endsWith('.sample') && (mode & 0o111) !== 0
}
