import { TeamError } from '../../team/errors.ts'

/** A path that cannot or may not be used: which one, why, and what to do instead. */
export class PathRefused extends TeamError {
  readonly code = 'path_refused'
}

/** Puts what the system said about a path into words. */
export function refusedBy(error: unknown, shown: string): Error {
  if (error instanceof PathRefused) return error
  const { code, message } = error as NodeJS.ErrnoException
  const words = code === undefined ? undefined : WORDS[code]
  return new PathRefused(words ? `${shown} ${words}` : `${shown} cannot be used: ${message}`, { cause: error })
}

const WORDS: Record<string, string | undefined> = {
  ENOENT: 'does not exist. Use glob to find what does.',
  ENOTDIR: 'cannot exist: a part of its path is a file, not a folder. Use glob to see what is there.',
  EISDIR: 'is a folder. Use glob to see what is in it.',
  EACCES: 'may not be opened by this user. Ask a person to change its permissions.',
  EPERM: 'may not be changed by this user. Ask a person to change its permissions.',
  ELOOP: 'is a link that leads to itself, or a link in place of a file. Name the file it should lead to.',
  ENAMETOOLONG: 'is longer than a path may be. Use a shorter one.',
  EROFS: 'is on a read-only file system. Write somewhere else.',
  ENOSPC: 'could not be written: the disk is full. Free some space, then try again.',
  EDQUOT: 'could not be written: the quota of this user is used up. Free some space, then try again.',
  ETXTBSY: 'is a program that is running right now. End it first.',
}
