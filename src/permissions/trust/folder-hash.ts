import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { TeamError } from '../../team/errors.ts'
import { namesIn, orUndefined, realPath } from '../paths/safe-reads.ts'

/**
 * One hash over everything in a folder that can tell agents or deskmates what to do: settings, hooks, agents, skills,
 * commands, checks. Links are followed, because what they lead to is what would run.
 */
export function folderHash(root: string): string {
  const hash = createHash('sha256')
  const seen = new Map<string, string>()
  const left = { files: MAX_FILES, bytes: MAX_BYTES }

  // Names are quoted and contents preceded by their length, so that no two different folders give the same input.
  function add(name: string): void {
    const path = join(root, name)
    const stat = status(path)
    if (stat?.isDirectory()) {
      // An empty folder has no effect and git does not keep it, so only the contents of a folder count.
      const real = realPath(path) ?? path
      const before = seen.get(real)
      seen.set(real, before ?? name)
      if (before !== undefined) hash.update(JSON.stringify(['same', name, before]))
      else for (const inside of list(path)) add(`${name}/${inside}`)
      return
    }
    left.files -= 1
    left.bytes -= stat?.isFile() ? stat.size : 0
    if (left.files < 0 || left.bytes < 0) throw new TooMuchToTrust(path)
    const content = stat?.isFile() ? read(path, stat.size) : undefined
    hash.update(JSON.stringify(['file', name, content?.length]))
    if (content) hash.update(content)
  }

  const settings = list(join(root, '.claude')).filter((name) => /^settings.*\.json$/.test(name))
  for (const name of [...PARTS, ...settings.map((file) => `.claude/${file}`)]) if (status(join(root, name))) add(name)
  for (const name of hookFiles(root, settings)) add(name)
  return hash.digest('hex')
}

/** The files of the folder that hook commands name: a changed script is a changed hook. */
function hookFiles(root: string, claude: readonly string[]): string[] {
  const own = list(join(root, '.deskmates')).filter((name) => /\.json$/.test(name))
  const settings = [...own.map((name) => `.deskmates/${name}`), ...claude.map((name) => `.claude/${name}`), ...YAML]
  const commands = settings.flatMap((name) => {
    const stat = status(join(root, name))
    const text =
      stat?.isFile() && stat.size < MAX_SETTINGS_BYTES ? read(join(root, name), stat.size)?.toString() : undefined
    return [...(text ?? '').matchAll(COMMAND)].map(([, command = '']) => command)
  })
  const words = commands.flatMap((command) => command.split(/[\s"'`\\;|&()<>=]+/))
  const names = words.map((word) => relative(root, resolve(root, word.replace(PROJECT, root)))).filter(Boolean)
  return [...new Set(names)].sort().filter((name) => !name.startsWith('..') && status(join(root, name))?.isFile())
}

const YAML = ['deskmates.yaml', 'deskmates.yml']
const MAX_SETTINGS_BYTES = 1 << 20
/** In JSON and in YAML; the rest of the line is enough. */
const COMMAND = /["']?command["']?\s*:\s*(.+)/g
const PROJECT = /^\$\{?(?:DESKMATES|CLAUDE)_PROJECT_DIR\}?(?=\/)/

/** A skill that links to the whole disk causes this error instead of a command that never ends. */
export class TooMuchToTrust extends TeamError {
  readonly code = 'too_much_to_trust'
  constructor(path: string) {
    super(
      `Settings, agents, skills and hooks are more than ${MAX_FILES} files or ${MAX_BYTES >> 20} MB, counted up to ` +
        `${path}. Move everything else out of these folders.`,
    )
  }
}

const PARTS = [
  '.deskmates',
  'deskmates.yaml',
  '.claude/agents',
  '.claude/commands',
  '.claude/skills',
  '.claude/hooks',
  '.agents',
  'agents',
  'skills',
  'hooks',
]
const MAX_FILES = 20_000
const MAX_BYTES = 256 << 20

/**
 * At most as many bytes as the size of the file: a link into /proc or /dev may never end. Undefined when it cannot be read:
 * then it has no effect either, and becoming readable later is a change.
 */
function read(path: string, size: number): Buffer | undefined {
  return orUndefined(() => {
    const fd = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(size)
      let end = 0
      for (let got = -1; got !== 0 && end < size; end += got) got = readSync(fd, bytes, end, size - end, end)
      return bytes.subarray(0, end)
    } finally {
      closeSync(fd)
    }
  })
}

function list(path: string): string[] {
  return namesIn(path).sort()
}

function status(path: string): Stats | undefined {
  return orUndefined(() => statSync(path))
}
