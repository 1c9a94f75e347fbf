import { closeSync, constants, readSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isInside } from '../../permissions/paths/places.ts'
import { openAt, openSpot } from '../../permissions/paths/spot.ts'
import { kindOf } from '../../tools/paths/kind-of-bytes.ts'
import { hashOf, type InstructionFile } from './accepted-instructions.ts'

export interface InstructionsPlace {
  /** The folder the agent works in, inside of the workspace. */
  readonly cwd: string
  readonly root: string
  readonly home: string | undefined
  readonly warn: (message: string) => void
  /** A person trusts this folder: its files may import files from the user's home folder. Default: no. */
  readonly isTrusted?: boolean
  /** Whether a rule of the user denies reading this file. */
  readonly forbids?: (path: string) => boolean
  /** Whether a file of the workspace counts as it is now. Left out: yes. */
  readonly isAccepted?: (file: InstructionFile) => boolean
}

const NAMES: readonly string[] = ['AGENTS.md', 'CLAUDE.md']
const DEEPEST_IMPORT = 5
/** Bytes of one file, and of all of them. */
const LARGEST_FILE = 64 * 1024
const MOST = 128 * 1024

/**
 * What people wrote for agents: `AGENTS.md`, else `CLAUDE.md`, from the working folder up to the workspace's root, nearest
 * first, then the user's own. `@path` imports another file. No file is loaded twice, and a warning names what is cut off.
 */
export function instructionsOf(place: InstructionsPlace): string {
  const { cwd, root, home, warn, isTrusted = false, forbids = () => false, isAccepted = () => true } = place
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
    const refusal = refused(path, file)
    if (refusal !== undefined) {
      warn(`${shown(path)}: ${refusal} It is left out of the instructions.`)
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

  /** Why a readable file is not given to a model. */
  function refused(path: string, file: ReadText): string | undefined {
    if (forbids(file.real) || forbids(path)) return 'a rule denies reading it.'
    if (!isInside(root, file.real)) return undefined
    if (isSecretFile(file.real.slice(root.length))) return 'it may hold secrets, or belongs to deskmates or git.'
    const { hash, changedAt } = file
    if (isAccepted({ path: file.real.slice(root.length + 1), hash, changedAt })) return undefined
    return 'it was changed during a session, perhaps by an agent. Read it, then accept it with: deskmates trust.'
  }

  function bringIn(wanted: string, from: string, depth: number): string | undefined {
    const path = wanted.startsWith('~/')
      ? join(home ?? '~', wanted.slice(2))
      : isAbsolute(wanted)
        ? wanted
        : resolve(dirname(from), wanted)
    // A trusted project may import prose from the user's home folder, but no other file: no key, no history.
    const isOwn = home !== undefined && own.some((folder) => isInside(folder, from))
    const isProse = home !== undefined && isInside(home, path) && /^~\/.*\.(md|markdown|txt)$/.test(wanted)
    if (!isOwn && !isInside(root, path) && !(isTrusted && isProse)) return undefined
    if (!isOwn && isSecretFile(path)) {
      warn(`${shown(from)}: @${wanted} may hold secrets and was left out of the instructions.`)
      return undefined
    }
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

/** Files that a project never imports into a prompt, even if a rule allows reading them. */
function isSecretFile(path: string): boolean {
  return /(?:^|\/)(?:\.teams|\.tasks|\.git|\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.azure|\.config\/gcloud|\.password-store)(?:\/|$)|(?:^|\/)(?:\.env(?:\.[^/]*)?|\.envrc|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*|credentials[^/]*|secrets?\.[^/]*|[^/]*\.(?:pem|key|p12|pfx|kdbx|keystore|jks)|\.[^/]*_history)$/i.test(
    path,
  )
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
  readonly hash: string
  readonly changedAt: number
  readonly real: string
  readonly size: number
  readonly isCut: boolean
}

/** At most this many bytes; undefined where there is no file. */
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
      const { size, ctimeMs } = spot.stats
      return { text, hash: hashOf(start), changedAt: ctimeMs, real: spot.real, size, isCut: size > read }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : { problem: `it cannot be read (${message}).` }
  }
}
