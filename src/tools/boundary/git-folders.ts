import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * What a command may do to a repository: commit, not decide what git runs. `.git` is a mount of its own, so that it
 * cannot be moved away and replaced by one with other hooks.
 */
export function gitFolders(folder: string): string[] {
  const path = join(folder, '.git')
  if (!existsSync(path) || lstatSync(path).isSymbolicLink()) return []
  if (lstatSync(path).isDirectory()) return ['--bind', path, path, ...guarded(path)]
  const shared = sharedFolder(path)
  return [...(shared ? ['--bind', shared, shared, ...guarded(shared)] : []), '--ro-bind', path, path]
}

/** Hooks and configuration run programs; so do those of submodules. */
function guarded(git: string): string[] {
  // A folder that is missing could be made, and nobody would notice.
  mkdirSync(join(git, 'hooks'), { recursive: true })
  const parts = ['hooks', 'config', 'config.worktree', 'modules', 'info/attributes'].map((name) => join(git, name))
  return parts.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path])
}

/**
 * In a worktree `.git` is a file that names a folder of the main repository, and that one its own. Believed only where
 * both agree: whoever could write the file could otherwise open any folder.
 */
function sharedFolder(path: string): string | undefined {
  try {
    const own = realpathSync(resolve(dirname(path), /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? ''))
    const back = readFileSync(join(own, 'gitdir'), 'utf8').trim()
    const shared = realpathSync(resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim()))
    const agrees = realpathSync(back) === realpathSync(path) && dirname(own) === join(shared, 'worktrees')
    return agrees && existsSync(join(shared, 'HEAD')) ? shared : undefined
  } catch {
    // Not a worktree: the repository can be looked at and not be changed.
    return undefined
  }
}
