import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs'

/** What `call` returns, undefined if it throws: where it does not matter why something cannot be read. */
export function orUndefined<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch {
    return undefined
  }
}

/** With all links resolved; undefined if there is nothing. */
export function realPath(path: string): string | undefined {
  return orUndefined(() => realpathSync(path))
}

/** What a file of the system says, such as those in /proc; empty where there is none. */
export function systemText(path: string): string {
  return orUndefined(() => readFileSync(path, 'utf8')) ?? ''
}

/**
 * What a file holds that agents can replace: never through a link, never waiting for a pipe, never more than `most`
 * bytes. Undefined if it is not such a file.
 */
export function readPlainFile(path: string, most = 1_000_000): Buffer | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stats = fstatSync(fd)
    if (!stats.isFile() || stats.size > most) return undefined
    const bytes = Buffer.alloc(stats.size)
    let end = 0
    for (let got = -1; got !== 0 && end < bytes.length; end += got)
      got = readSync(fd, bytes, end, bytes.length - end, end)
    return bytes.subarray(0, end)
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Of the path itself, not of what a link leads to; undefined if there is nothing. */
export function statusOf(path: string): Stats | undefined {
  return orUndefined(() => lstatSync(path))
}

export function isThere(path: string): boolean {
  return statusOf(path) !== undefined
}

export function isLink(path: string): boolean {
  return statusOf(path)?.isSymbolicLink() ?? false
}

/** Empty where the folder is gone or not readable for this user: no command of theirs reads it either. */
export function entriesIn(folder: string): Dirent[] {
  return orUndefined(() => readdirSync(folder, { withFileTypes: true })) ?? []
}

export function namesIn(folder: string): string[] {
  return entriesIn(folder).map(({ name }) => name)
}
