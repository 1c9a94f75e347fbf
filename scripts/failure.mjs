import { constants } from 'node:os'

/** Preparing failed in a way we can name: what failed, on what, what to do now. */
export class PrepareFailed extends Error {}

/** A signal asked us to stop while a child was at work; the child has ended. */
export class Interrupted extends Error {
  constructor(signal) {
    super(`interrupted by ${signal}`)
    this.exitCode = 128 + constants.signals[signal]
  }
}

/** Tells the user on stderr and returns the exit code. */
export function report(error, root) {
  if (error instanceof Interrupted) return error.exitCode
  console.error(`deskmates: ${describe(error, root)}`)
  return 1
}

function describe(error, root) {
  if (error instanceof PrepareFailed) return error.message
  // Of two paths the second is where something was to be put.
  const place = error.dest ?? error.path ?? root
  switch (error.code) {
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return `cannot write ${place} (${error.code}): preparing this checkout needs write access to it. Make ${root} writable, or copy it to a folder of your own and run the same command there.`
    case 'ENOSPC':
    case 'EDQUOT':
      return `no space left for ${place} (${error.code}). Free some (an install needs about 500 MB) and run the same command again.`
    case 'EBUSY':
    case 'EXDEV':
      return `cannot replace ${place} (${error.code}): it seems to be a mount of its own. Unmount it, so that it can be replaced in one step, and run the same command again.`
    case 'ENOENT':
      return `${place} is missing, so this checkout is not complete. Restore it (git checkout -- .) and run the same command again.`
    default:
      return error.stack
  }
}
