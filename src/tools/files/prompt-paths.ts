import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { placeOf } from '../../permissions/paths/places.ts'

/** A path that a prompt may name. */
export interface NamedPath {
  /** As it was typed. */
  readonly name: string
  readonly path: string
  /** Behind `@`: the person wants it attached. */
  readonly isExplicit: boolean
}

/** Where the paths of a prompt begin: in the folder of the person first, then in that of the workspace. */
export interface PromptPlace {
  readonly root: string
  readonly cwd?: string | undefined
}

/** Pasted text may hold thousands of paths. */
const MAX_PATHS = 200
/** Words, quoted or escaped; brackets may be before them. */
const WORD = /(?<=^|\s)[([]*(@?)(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s\\"'])+))/g
const PATH_START = /^(?:\/|~\/|\.\.?\/|file:\/\/)/

/**
 * The files and folders that a prompt names and that exist: `@src/a.ts`, or a path that begins with `/`, `~/`, `./`, `../` or `file://`
 * as a terminal pastes it, in quotes or with backslashes. Those behind `@` come first.
 */
export function pathsIn(prompt: string, place: PromptPlace): NamedPath[] {
  const whole = prompt.trim()
  // Some terminals paste a name with spaces as it is.
  const alone = PATH_START.test(whole) && !whole.includes('\n') ? [{ texts: [whole], isExplicit: false }] : []
  const words = [...prompt.matchAll(WORD)].flatMap(([, at, doubled, single, bare]) => {
    const text = doubled ?? single ?? bare!.replace(/\\(.)/g, '$1')
    const isExplicit = at === '@'
    if (!isExplicit && !PATH_START.test(text)) return []
    // A sentence may end behind a name.
    const ended = bare === undefined ? text : text.replace(/[.,;:!?)\]]+$/, '')
    return [{ texts: ended === text || ended === '' ? [text] : [text, ended], isExplicit }]
  })
  const all = [...words, ...alone]
  // Behind @ first: what is only mentioned must not take their place.
  return [...all.filter(({ isExplicit }) => isExplicit), ...all.filter(({ isExplicit }) => !isExplicit)]
    .slice(0, MAX_PATHS)
    .flatMap(({ texts, isExplicit }) => {
      for (const name of texts) {
        const path = existing(expanded(name), place)
        if (path !== undefined) return [{ name, path, isExplicit }]
      }
      return []
    })
}

function existing(path: string, { root, cwd = root }: PromptPlace): string | undefined {
  if (path.includes('\0')) return undefined
  return [placeOf(path, cwd), placeOf(path, root)].find((place) => existsSync(place))
}

function expanded(text: string): string {
  if (text.startsWith('~/')) return join(homedir(), text.slice(2))
  if (!text.startsWith('file://')) return text
  try {
    return fileURLToPath(text)
  } catch {
    return text
  }
}
