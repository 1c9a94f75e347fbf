import { execFile } from 'node:child_process'

/** How many files in this folder are changed and not committed; undefined where git does not keep count. */
export function uncommittedIn(root: string): Promise<number | undefined> {
  const args = [
    '-c',
    'core.fsmonitor=',
    'status',
    '--porcelain',
    '--untracked-files=all',
    '--',
    '.',
    ':!.teams',
    ':!.tasks',
  ]
  return new Promise((resolve) => {
    execFile('git', args, { cwd: root, timeout: 10_000, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      resolve(error ? undefined : stdout.split('\n').filter((line) => line !== '').length)
    })
  })
}
