import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { PathRefused } from './refused.ts'

/**
 * A file or folder that is held: whatever happens to its name meanwhile, `at` means this very thing. Nothing was read
 * or written to hold it, so a pipe does not block and a device does not notice.
 */
export interface Spot extends Disposable {
  readonly at: string
  /** Where it really is, links resolved. */
  readonly real: string
  readonly stats: Stats
}

export interface SpotOptions {
  /** Whether a link in the last place is followed; those before it always are, and `real` tells where that led. */
  readonly follow?: boolean
}

/**
 * On Linux the kernel tells where an open descriptor is (`/proc/self/fd/N`), and opening that link opens the same inode
 * again: no name is looked up twice, so swapping links finds no moment to do it in. Elsewhere the name is resolved
 * before and after, and device and inode must agree: weaker, a swap back and forth within the same instant passes.
 */
export function openSpot(path: string, { follow = true }: SpotOptions = {}): Spot {
  return hasDescriptorLinks() ? byDescriptor(path, follow) : byIdentity(path, follow)
}

/** Opens what the spot holds, for real. Only for regular files and folders. */
export function openAt(spot: Spot, flags: number): number {
  const fd = openSync(spot.at, flags | constants.O_NONBLOCK)
  const { dev, ino } = fstatSync(fd)
  if (dev === spot.stats.dev && ino === spot.stats.ino) return fd
  closeSync(fd)
  throw changedMeanwhile(spot.real)
}

/** Where the file behind a descriptor is now, if it was opened as `path`. */
export function realPathOf(fd: number, path: string): string {
  return hasDescriptorLinks() ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync.native(path)
}

/** Node does not name it; the same on every platform Node runs on under Linux. */
const O_PATH = 0o10000000

export function byDescriptor(path: string, follow: boolean): Spot {
  const fd = openSync(path, O_PATH | (follow ? 0 : constants.O_NOFOLLOW))
  try {
    const at = `/proc/self/fd/${fd}`
    return { at, real: readlinkSync(at), stats: fstatSync(fd), [Symbol.dispose]: () => closeSync(fd) }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

export function byIdentity(path: string, follow: boolean): Spot {
  const found = () => (follow ? realpathSync.native(path) : path)
  const real = found()
  const stats = lstatSync(real)
  const again = lstatSync(found())
  if (found() !== real || stats.dev !== again.dev || stats.ino !== again.ino) throw changedMeanwhile(path)
  return { at: real, real, stats, [Symbol.dispose]: () => {} }
}

let descriptorLinks: boolean | undefined

function hasDescriptorLinks(): boolean {
  descriptorLinks ??= process.platform === 'linux' && works()
  return descriptorLinks
}

/** Not where /proc is missing or shows another pid namespace. */
function works(): boolean {
  try {
    using root = byDescriptor('/', true)
    return root.real === '/'
  } catch {
    return false
  }
}

function changedMeanwhile(path: string): PathRefused {
  return new PathRefused(`${path} was replaced while it was being opened. Try again.`)
}
