import { type ChildProcess, execFileSync, type IOType, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { TeamError } from '../../team/errors.ts'

/** One program that is to run. Nothing is taken from the environment of this process. */
export interface ProgramStart {
  /** An absolute path, see `findProgram`: a name would be looked up in folders that agents may write to. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** What the program is called by; some files are several programs in one. */
  readonly argv0?: string | undefined
  readonly stdio: readonly (IOType | number)[]
  /** A process group of its own. */
  readonly detached?: boolean | undefined
}

/**
 * Starts a program: the only place of tools, session and command line that does. Apart from `stdio` the program gets no
 * descriptor of this process, also none that this process was itself started with.
 */
export function startProgram({ file, args, stdio, ...options }: ProgramStart): ChildProcess {
  if (!isAbsolute(file)) throw new RelativeProgram(file)
  const { cwd, env, argv0, detached = false } = options
  const nothing = openSync('/dev/null', 'r')
  try {
    const all = sealed(stdio, nothing)
    return spawn(file, [...args], { cwd, env: { ...env }, detached, stdio: all, ...(argv0 !== undefined && { argv0 }) })
  } finally {
    closeSync(nothing)
  }
}

/** What a program of the system prints, `''` if it fails. For programs at fixed places that take no input. */
export function askProgram(file: string, ...args: string[]): string {
  if (!isAbsolute(file)) throw new RelativeProgram(file)
  try {
    const env = { LC_ALL: 'C', TZ: 'UTC' }
    return execFileSync(file, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

export class RelativeProgram extends TeamError {
  readonly code = 'relative_program'
  constructor(file: string) {
    super(`${JSON.stringify(file)} is not an absolute path, so another program could be started in its place.`)
  }
}

/**
 * Descriptors that the program would get with `stdio` become /dev/null: Node leaves open in children what it was itself
 * started with, beyond the first few.
 */
function sealed(stdio: readonly (IOType | number)[], nothing: number): (IOType | number)[] {
  const inherited = new Set(inheritable())
  const last = Math.min(Math.max(-1, ...inherited), MAX_DESCRIPTOR)
  const rest = Array.from({ length: Math.max(0, last + 1 - stdio.length) }, (_, i) => i + stdio.length)
  // Only those: Node needs some of the others until the program has started.
  return [...stdio, ...rest.map((fd) => (inherited.has(fd) ? nothing : ('ignore' as const)))]
}

const MAX_DESCRIPTOR = 4096
const CLOSED_ON_EXEC = 0o2000000

/** Descriptors of this process that a program it starts would get too. Only Linux tells. */
function inheritable(): number[] {
  if (process.platform !== 'linux') return []
  return entries('/proc/self/fdinfo').filter((fd) => {
    const flags = /^flags:\s*0?([0-7]+)$/m.exec(read(`/proc/self/fdinfo/${fd}`))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0
  })
}

function entries(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number)
  } catch {
    return []
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Closed since it was listed.
    return ''
  }
}
