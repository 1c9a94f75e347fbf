import { closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { placeOf } from '../../permissions/paths/places.ts'
import { PathRefused, refusedBy } from '../../permissions/paths/refused.ts'
import { openAt, openSpot, realPathOf, type Spot, type SpotOptions } from '../../permissions/paths/spot.ts'
import { instructsAgents } from '../../permissions/rules/instructing-files.ts'
import {
  type FileAccess,
  isOutside,
  refuseMissing,
  refuseOutside,
  refuseWriting,
  resolvedPlace,
  show,
} from './file-access.ts'

/** A regular file, open for reading and writing, with all its content still in it. */
export interface Writable extends Disposable {
  readonly fd: number
  readonly real: string
  readonly shown: string
  readonly isNew: boolean
}

/**
 * Opens a file for writing if the agent may write there, and creates it with missing folders. The folder is opened and
 * checked first, and the name is opened relative to it, never through a link.
 */
export function openForWriting(path: string, access: FileAccess, { mayCreate }: { mayCreate: boolean }): Writable {
  if (path.includes('\0')) throw new PathRefused(`${JSON.stringify(path)} holds a NUL byte, so no file can be made.`)
  const place = placeOf(path, access.root)
  const name = basename(place)
  if (path.endsWith('/') || name === '') throw new PathRefused(`${path} names a folder. Name a file in it.`)
  // Checked again on the opened file; here only so that the error does not reveal what exists outside.
  if (isOutside(resolvedPlace(dirname(place)), access)) throw new PathRefused(refuseOutside(place, access))
  try {
    using folder = openFolder(dirname(place), [name], access, mayCreate)
    return openUnder(folder, name, access, mayCreate, place)
  } catch (error) {
    const refusal = refuseMissing(place, access, 'write')
    throw refusal === undefined ? refusedBy(error, path) : new PathRefused(refusal)
  }
}

/** The permission was checked for the given path; under the real name of the file it might have been refused. */
function refuseAlias(real: string, asked: string, access: FileAccess): string | undefined {
  if (!instructsAgents(real) || instructsAgents(asked)) return undefined
  return `This path leads to ${show(real, access)}, which tells agents or tools what to do. Name that file itself.`
}

function openUnder(folder: Spot, name: string, access: FileAccess, mayCreate: boolean, asked: string): Writable {
  const found = existing(`${folder.at}/${name}`, { follow: false })
  if (found === undefined && !mayCreate) throw Object.assign(new Error(`no ${name}`), { code: 'ENOENT' })
  using spot = found
  if (spot?.stats.isSymbolicLink()) {
    const shown = show(spot.real, access)
    throw new PathRefused(`${shown} is a link, and file tools do not write through links. Name the file it leads to.`)
  }
  if (spot && !spot.stats.isFile()) throw notRegular(spot, access)
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants
  // O_EXCL fails if another process creates the name in between.
  const fd = spot
    ? openAt(spot, O_RDWR)
    : openSync(`${folder.at}/${name}`, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK, 0o666)
  // Checked again on the open file: the folder itself may have been moved.
  const real = realPathOf(fd, join(folder.real, name))
  const refusal = refuseWriting(real, access) ?? refuseAlias(real, asked, access)
  if (refusal === undefined)
    return { fd, real, shown: show(real, access), isNew: !spot, [Symbol.dispose]: () => closeSync(fd) }
  closeSync(fd)
  throw new PathRefused(refusal)
}

/** Holds a folder we may write `rest` in, making what is missing of it from the nearest one that exists. */
function openFolder(path: string, rest: readonly string[], access: FileAccess, mayCreate: boolean): Spot {
  const folder = existing(path) ?? makeFolder(path, rest, access, mayCreate)
  const refusal = refuseWriting(join(folder.real, ...rest), access)
  if (refusal === undefined && folder.stats.isDirectory()) return folder
  folder[Symbol.dispose]()
  throw refusal === undefined
    ? Object.assign(new Error('a file is in the way'), { code: 'ENOTDIR' })
    : new PathRefused(refusal)
}

function makeFolder(path: string, rest: readonly string[], access: FileAccess, mayCreate: boolean): Spot {
  const name = basename(path)
  if (!mayCreate || name === '') throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' })
  using above = openFolder(dirname(path), [name, ...rest], access, mayCreate)
  try {
    mkdirSync(`${above.at}/${name}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return openSpot(`${above.at}/${name}`, { follow: false })
}

function existing(path: string, options?: SpotOptions): Spot | undefined {
  try {
    return openSpot(path, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function notRegular({ real, stats }: Spot, access: FileAccess): PathRefused {
  const shown = show(real, access)
  const what = stats.isDirectory() ? 'a folder' : 'not a regular file (a pipe, socket or device)'
  return new PathRefused(`${shown} is ${what}. Name a file.`)
}
