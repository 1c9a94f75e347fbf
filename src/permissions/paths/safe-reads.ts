import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs'

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
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

export function isThere(path: string): boolean {
  return statusOf(path) !== undefined
}

export function isLink(path: string): boolean {
  return statusOf(path)?.isSymbolicLink() ?? false
}

/** Empty where the folder is gone or not readable for this user: no command of theirs reads it either. */
export function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

export function namesIn(folder: string): string[] {
  return entriesIn(folder).map(({ name }) => name)
}
