import { placeOf } from '../paths/places.ts'
import type { Word } from './word.ts'

/** Where a command may run, as absolute paths before links are resolved; undefined if that cannot be known. */
export type Folders = readonly string[] | undefined

/** Where it goes on behind a command that worked, and behind one that failed. */
export interface Flow {
  readonly done: Folders
  readonly failed: Folders
}

const MAX_FOLDERS = 16

export function eitherOf(...all: readonly Folders[]): Folders {
  const found = new Set<string>()
  for (const folders of all) {
    if (!folders) return undefined
    for (const folder of folders) found.add(folder)
  }
  return found.size > MAX_FOLDERS ? undefined : [...found]
}

export function unmoved(folders: Folders): Flow {
  return { done: folders, failed: folders }
}

/** What `cd` and its kin make of it. */
export function movedBy(words: readonly Word[], folders: Folders): Flow {
  const program = words[0]?.text
  if (program === 'eval' || program === '.' || program === 'source') return unmoved(undefined)
  if (program === 'command' || program === 'builtin') {
    const begin = words.findIndex(({ text }, i) => i > 0 && !text?.startsWith('-'))
    return begin === -1 ? unmoved(folders) : movedBy(words.slice(begin), folders)
  }
  if (program !== 'cd' && program !== 'pushd' && program !== 'popd') return unmoved(folders)
  const targets = program === 'cd' ? targetsOf(words) : undefined
  if (!targets || !folders) return { done: undefined, failed: folders }
  const done = folders.flatMap((folder) => targets.map((target) => placeOf(target, folder)))
  return { done: eitherOf(done), failed: folders }
}

/** The folders that a `cd` names; undefined where it names none that can be known. */
export function targetsOf(words: readonly Word[]): readonly string[] | undefined {
  const rest = words.slice(1).filter(({ text }) => text !== '--')
  const [target] = rest
  if (rest.length !== 1 || !target) return undefined
  const names = (target.loop ?? [target]).map(({ text }) => text)
  // Behind a name, `..` may mean the folder above a link.
  return names.every((name) => name !== undefined && name !== '' && !/^[-+]|[^./][^/]*\/+\.\.(\/|$)/.test(name))
    ? (names as string[])
    : undefined
}
