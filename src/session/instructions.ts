import { closeSync, constants, readSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { openAt, openSpot } from '../permissions/paths/spot.ts'
import { kindOf } from '../tools/paths/kind-of-bytes.ts'
import { isInside } from '../tools/paths/territory.ts'

export interface InstructionsPlace {
  /** The folder the agent works in, inside of the workspace. */
  readonly cwd: string
  readonly root: string
  readonly home: string | undefined
  readonly warn: (message: string) => void
}

const NAMES: readonly string[] = ['AGENTS.md', 'CLAUDE.md']
const DEEPEST_IMPORT = 5
/** Bytes of one file, and of all of them. */
const LARGEST_FILE = 64 * 1024
const MOST = 128 * 1024

/**
 * What people wrote for agents: `AGENTS.md`, else `CLAUDE.md`, from the working folder up to the workspace's root, nearest
 * first, then the user's own. `@path` brings another file in. Nothing is loaded twice, and what is cut off is said.
 */
export function instructionsOf({ cwd, root, home, warn }: InstructionsPlace): string {
  const seen = new Set<string>()
  let left = MOST
  const own = home === undefined ? [] : [join(home, '.config', 'deskmates'), join(home, '.claude')]
  const files = [...foldersUp(cwd, root), ...own].flatMap((folder) => {
    for (const name of NAMES) {
      const text = load(join(folder, name), 0)
      if (text !== undefined)
        return [`<instructions path="${shown(join(folder, name))}">\n${text.trim()}\n</instructions>`]
    }
    return []
  })
  if (files.length === 0) return ''
  return `What people wrote down for agents here. What stands first is nearest to your work and wins where they disagree.\n\n${files.join('\n\n')}`

  /** Undefined where there is nothing to be read. */
  function load(path: string, depth: number): string | undefined {
    const file = readText(path, Math.min(LARGEST_FILE, left))
    if (file === undefined) return undefined
    if ('problem' in file) {
      warn(`${shown(path)}: ${file.problem} It is left out of the instructions.`)
      return undefined
    }
    if (seen.has(file.real)) return depth === 0 ? undefined : ''
    // A project may not bring in what lies outside of it; the user's own files may.
    if (isInside(root, path) && !isInside(root, file.real)) {
      warn(`${shown(path)}: it is a link that leads out of the workspace. It is left out of the instructions.`)
      return undefined
    }
    seen.add(file.real)
    left -= file.text.length
    if (file.isCut)
      warn(
        `${shown(path)}: it has ${file.size} bytes; what is behind the first ${file.text.length} was left out of the instructions.`,
      )
    const text = file.isCut
      ? `${file.text}\n[cut off here: ${file.size} bytes in all; read the rest with read_file]`
      : file.text
    return withImports(text, (wanted) => bringIn(wanted, path, depth))
  }

  function bringIn(wanted: string, from: string, depth: number): string | undefined {
    const path = wanted.startsWith('~/')
      ? join(home ?? '~', wanted.slice(2))
      : isAbsolute(wanted)
        ? wanted
        : resolve(dirname(from), wanted)
    // Somebody else's project may name what a person wrote at home, but nothing that is no prose: no key, no history.
    const isOwn = home !== undefined && own.some((folder) => isInside(folder, from))
    if (!isOwn && !isInside(root, path) && !/^~\/.*\.(md|markdown|txt)$/.test(wanted)) return undefined
    if (depth >= DEEPEST_IMPORT) {
      warn(`${shown(from)}: @${wanted} is more than ${DEEPEST_IMPORT} files deep and was left out of the instructions.`)
      return undefined
    }
    return load(path, depth + 1)
  }

  function shown(path: string): string {
    if (isInside(root, path)) return path.slice(root.length + 1)
    return home !== undefined && isInside(home, path) ? `~${path.slice(home.length)}` : path
  }
}

function foldersUp(cwd: string, root: string): string[] {
  if (!isInside(root, cwd)) return [root]
  const folders = [cwd]
  while (folders.at(-1) !== root) folders.push(dirname(folders.at(-1)!))
  return folders
}

/** `@path` at the beginning of a word, but not in code. What cannot be brought in stays as it stands. */
function withImports(text: string, bringIn: (path: string) => string | undefined): string {
  const code = /(^(```|~~~)[^\n]*\n[\s\S]*?(?:^\2|$(?![\s\S]))|`[^`\n]+`)/gm
  const pieces = text.split(code)
  // Of each code three pieces: the text before it, the code, its fence.
  return pieces
    .map((piece, i) => {
      if (i % 3 === 2) return ''
      if (i % 3 === 1) return piece
      return (piece ?? '').replace(
        /(?<=^|\s)@((?:~\/|\.{0,2}\/)?[\w.-][\w./-]*[\w-])/g,
        (all, path: string) => bringIn(path) ?? all,
      )
    })
    .join('')
}

interface ReadText {
  readonly text: string
  readonly real: string
  readonly size: number
  readonly isCut: boolean
}

/** At most so many bytes; undefined where there is no file. */
function readText(path: string, most: number): ReadText | { readonly problem: string } | undefined {
  try {
    using spot = openSpot(path)
    if (!spot.stats.isFile()) return undefined
    const fd = openAt(spot, constants.O_RDONLY)
    try {
      const bytes = Buffer.alloc(Math.max(0, most))
      const read = most > 0 ? readSync(fd, bytes, 0, most, 0) : 0
      const start = bytes.subarray(0, read)
      if (kindOf(start.subarray(0, 8192)).is !== 'text') return { problem: 'it is not text.' }
      const text = new TextDecoder().decode(start, { stream: true })
      return { text, real: spot.real, size: spot.stats.size, isCut: spot.stats.size > read }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : { problem: `it cannot be read (${message}).` }
  }
}
