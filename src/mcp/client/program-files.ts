import { existsSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { isInside, isInsideAny } from '../../permissions/paths/places.ts'
import { orUndefined, realPath } from '../../permissions/paths/safe-reads.ts'
import type { StdioEntry } from './server-entry.ts'

export interface ProgramPlace {
  /** Where the server starts; relative paths of its command line mean files there. */
  readonly cwd: string
  /** Folders that agents can write to, as real paths. */
  readonly writable: readonly string[]
  /** The PATH by which the command is found. */
  readonly path: string | undefined
  readonly home: string | undefined
}

/** Programs whose first plain argument is the code that they run, also where it is a folder. */
const INTERPRETER =
  /^(node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|java|sh|bash|dash|zsh|uv|uvx|npx|go)$/

/** Variables that name code which the program loads. */
const LOADS_CODE =
  /^(PATH|NODE_PATH|NODE_OPTIONS|PYTHON(PATH|HOME|STARTUP)|RUBY(LIB|OPT)|PERL5(LIB|OPT)|CLASSPATH|JAVA_TOOL_OPTIONS|LD_.+|DYLD_.+|BASH_ENV|ENV)$/

/**
 * What the server would run that agents can write: the program itself, a file that its command line names, or what a variable
 * makes it load. Undefined if agents can write none of it.
 */
export function writableProgram({ command, args = [], env = {} }: StdioEntry, place: ProgramPlace): string | undefined {
  // A link in a folder of theirs can be replaced, wherever it leads.
  const isWritable = (path: string) =>
    [path, join(realPath(dirname(path)) ?? dirname(path), basename(path)), realPath(path) ?? path].some((one) =>
      isInsideAny(place.writable, one),
    )
  const program = programFile(command, place)
  if (program !== undefined && isWritable(program)) return program
  const isInterpreted = INTERPRETER.test(basename(command))
  const firstPlain = isInterpreted ? args.find((arg) => !arg.startsWith('-')) : undefined
  for (const arg of args)
    for (const path of pathsIn(arg, place.cwd)) {
      const isFolder = orUndefined(() => statSync(path).isDirectory()) ?? false
      // A folder is what the server works on, unless it is the code that an interpreter runs.
      if (isWritable(path) && (isFolder ? arg === firstPlain : existsSync(path) || namesFile(arg))) return path
    }
  for (const [name, value] of Object.entries(env)) {
    if (!LOADS_CODE.test(name)) continue
    const found = value
      .split(/[\s:;=,]+/)
      .flatMap((part) => pathsIn(part, place.cwd))
      .find(isWritable)
    if (found !== undefined) return `${found} (by ${name})`
  }
  return undefined
}

/** Files and folders of the program that a sandbox would hide with the home folder: what the command line names, with its package. */
export function programParts({ command, args = [] }: StdioEntry, place: ProgramPlace): string[] {
  const named = [programFile(command, place), ...args.flatMap((arg) => pathsIn(arg, place.cwd))]
  const files = named.flatMap((path) => {
    const real = path === undefined ? undefined : realPath(path)
    return real !== undefined && orUndefined(() => statSync(real).isFile()) ? [real] : []
  })
  const isTooWide = (folder: string) => folder === '/' || (place.home !== undefined && isInside(folder, place.home))
  const parts = files
    .filter((file) => !isInsideAny(place.writable, file))
    .map((file) => packageOf(file, isTooWide) ?? file)
  return [...new Set(parts)]
}

/** The folder of the package that a file belongs to, where its modules are beside it. */
function packageOf(file: string, isTooWide: (folder: string) => boolean): string | undefined {
  let found: string | undefined
  for (let folder = dirname(file); !isTooWide(folder); folder = dirname(folder)) {
    // The outermost: a package that was installed needs the packages beside it.
    if (PACKAGE_FILES.some((name) => existsSync(join(folder, name)))) found = folder
    if (basename(folder) === 'node_modules') found = dirname(folder)
  }
  return found !== undefined && isTooWide(found) ? undefined : found
}

const PACKAGE_FILES = ['package.json', 'pyproject.toml', 'node_modules']

/** The file that a command means; undefined where it is not installed. */
export function programFile(command: string, { cwd, path }: ProgramPlace): string | undefined {
  if (command.includes('/')) return resolve(cwd, command)
  const folders = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, command)).find((file) => existsSync(file))
}

/** `./server.js`, `--require=./hook.js`, `/srv/tool`; also a bare name of something that is there. */
function pathsIn(arg: string, cwd: string): string[] {
  const parts = [arg, ...arg.split('=').slice(1)].filter((part) => part !== '' && !part.startsWith('-'))
  return [...new Set(parts)].map((part) => resolve(cwd, part.replace(/^file:\/\//, '')))
}

/** A path that need not exist yet: an interpreter may add an ending to it. */
function namesFile(arg: string): boolean {
  return /^(\.{0,2}\/)|=\.{0,2}\//.test(arg)
}
