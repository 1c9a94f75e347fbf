import { closeSync, lstatSync, mkdirSync, openSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { isThere, orUndefined } from '../../paths/safe-reads.ts'

/** An empty file or folder that stands where a command must not make one. */
export interface Placeholder {
  readonly path: string
  readonly isFolder: boolean
}

/** Makes empty files and folders for as long as commands run, and removes them again if they are still empty. */
export interface Placeholders {
  /** Makes those that are missing. Returns a function that releases them. */
  acquire(wanted: readonly Placeholder[]): () => void
}

/** `record` names the file that lists what was made, so that what a killed process left can be removed later. */
export function createPlaceholders(record: string): Placeholders {
  const made = new Map<string, Placeholder & { users: number }>()

  const write = () => writeFileSync(record, JSON.stringify([...made.values()]))

  return {
    acquire(wanted) {
      const missing = wanted.filter(({ path }) => !made.has(path) && !isThere(path))
      for (const one of missing) made.set(one.path, { ...one, users: 0 })
      // On record before the first is made.
      if (missing.length > 0) write()
      for (const one of missing) make(one)
      const acquired = wanted.flatMap(({ path }) => made.get(path) ?? [])
      for (const one of acquired) one.users++
      return () => {
        for (const one of acquired) one.users--
        const unused = acquired.filter(({ users }) => users === 0)
        for (const one of unused) {
          removeIfEmpty(one)
          made.delete(one.path)
        }
        if (unused.length > 0) write()
      }
    },
  }
}

/** Removes what a process that is gone had made. */
export function removeRecorded(record: string): void {
  const left: unknown = orUndefined(() => JSON.parse(readFileSync(record, 'utf8')))
  for (const one of Array.isArray(left) ? left : [])
    if (typeof one?.path === 'string' && typeof one.isFolder === 'boolean') removeIfEmpty(one)
}

function make({ path, isFolder }: Placeholder): void {
  try {
    if (isFolder) mkdirSync(path)
    else closeSync(openSync(path, 'wx'))
  } catch {
    // Another process made it meanwhile, or this user may not write there and neither may a command.
  }
}

function removeIfEmpty({ path, isFolder }: Placeholder): void {
  try {
    if (isFolder) rmdirSync(path)
    else if (lstatSync(path).isFile() && lstatSync(path).size === 0) unlinkSync(path)
  } catch {
    // Gone already, or in use by now.
  }
}
