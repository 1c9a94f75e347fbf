import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { isInsideAny } from '../../permissions/paths/places.ts'
import { realPath } from '../../permissions/paths/safe-reads.ts'
import { findProgram, SYSTEM_PATH, safePath } from '../../permissions/processes/find-program.ts'
import { endGroup, endWithUs, groupOf, type ProcessGroup } from '../../permissions/processes/process-group.ts'
import { limitLines } from '../../permissions/processes/resource-limits.ts'
import { startProgram } from '../../permissions/processes/start-program.ts'
import type { Sandbox, SandboxedStart, ServerReach } from '../../permissions/sandbox/sandbox.ts'
import { limitProcesses } from '../../tools/shell/process-limit.ts'
import { programParts, writableProgram } from './program-files.ts'
import type { ServerGrants, StdioEntry } from './server-entry.ts'
import { ServerRefused } from './server-faults.ts'

/** Where servers of a session run. */
export interface ServerPlace {
  readonly root: string
  readonly folders: readonly string[]
  /** The environment of commands, already without what they must not see. */
  readonly env: Readonly<Record<string, string>>
  /** Undefined where the user does not want a sandbox, or none works here. */
  readonly sandbox: Sandbox | undefined
  /** No server runs without a sandbox, not even one that was granted it. */
  readonly requiresSandbox: boolean
  /** Durable before the first instruction of the server runs, so that a resumed session can end it. */
  record(group: ProcessGroup): Promise<void>
  /** Where the program is no MCP server. */
  readonly program?: ProgramOptions | undefined
}

/** What is different for a program of another kind, such as another vendor's agent. */
export interface ProgramOptions {
  /** How errors call it: `The agent claude`. */
  readonly title: string
  /** The value of DESKMATES_AGENT. */
  readonly agent: string
  /** A folder that it alone sees as its home. */
  readonly home: string
  /** Files it may read, outside of the workspace. */
  readonly readable: readonly string[]
  /** Files and folders of the workspace that it cannot see. */
  readonly hidden: ServerReach['hidden']
}

/** A server that runs, as a process group of its own. */
export interface ServerProcess {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves to how it ended, in words, when its first process has ended. */
  readonly ended: Promise<string>
  /** Ends the whole group; resolves when nothing of it runs any more. */
  end(graceMs?: number): Promise<void>
}

/** Starts a server inside of the sandbox. `entry` has the values of its variables already. */
export async function startServer(
  name: string,
  entry: StdioEntry,
  grants: ServerGrants,
  place: ServerPlace,
): Promise<ServerProcess> {
  const { root, folders, env } = place
  const writable = [root, ...folders]
  const home = env.HOME === undefined ? undefined : realPath(env.HOME)
  const cwd = resolve(root, entry.cwd ?? '.')
  const sandbox = grants.sandbox ? place.sandbox : undefined
  const program = { cwd, writable, path: entry.env?.PATH ?? env.PATH, home }
  if (!sandbox) {
    if (place.requiresSandbox)
      throw new ServerRefused(
        `${intro(name, place)}it must run in a sandbox, and there is none here: deskmates doctor says why.`,
      )
    const written = writableProgram(entry, program)
    if (written !== undefined) throw new ServerRefused(outside(intro(name, place), written, grants.sandbox))
  }
  const reach = {
    hasNetwork: grants.network,
    ...grantedFolders(grants.folders, root, home),
  }
  const sandboxed = sandbox?.forServer({
    ...reach,
    readable: [
      ...reach.readable,
      ...programParts(entry, { ...program, writable: [...writable, ...reach.writable] }),
      ...(place.program?.readable ?? []),
    ],
    ...(place.program && {
      home: place.program.home,
      hidden: place.program.hidden,
      hasGrantedVariables: false,
    }),
  })
  try {
    return await begin(name, entry, place, sandboxed, sandboxed ? cwd : outsideFolder(cwd, writable, home))
  } catch (error) {
    sandboxed?.release()
    throw error
  }
}

/** Outside of a sandbox programs load code from the folder they start in, so it is none that agents write to. */
function outsideFolder(cwd: string, writable: readonly string[], home: string | undefined): string {
  if (!isInsideAny(writable, realPath(cwd) ?? cwd)) return cwd
  return home !== undefined && !isInsideAny(writable, home) ? home : '/'
}

async function begin(
  name: string,
  { command, args = [], env: own = {} }: StdioEntry,
  place: ServerPlace,
  sandboxed: SandboxedStart | undefined,
  cwd: string,
): Promise<ServerProcess> {
  const writable = [place.root, ...place.folders]
  const shell = findProgram('sh', SYSTEM_PATH, writable)?.file ?? '/bin/sh'
  const steps = [
    ...(sandboxed ? [limitLines(sandboxed.limits)] : []),
    // The sandbox itself changes to the root.
    ...(sandboxed && cwd !== place.root ? [`cd ${quoted(cwd)} || exit 126`] : []),
    GATE,
  ]
  const [file = '', ...rest] = [...(sandboxed?.prefix ?? []), shell, '-c', steps.join('\n'), command, ...args]
  const env = {
    ...(sandboxed?.env ?? { ...place.env, PATH: safePath(place.env.PATH, writable) }),
    ...own,
    DESKMATES_PROJECT_DIR: place.root,
    CLAUDE_PROJECT_DIR: place.root,
    // By this variable its processes are known as ours after a crash.
    DESKMATES_AGENT: place.program?.agent ?? `mcp/${name}`,
  }
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] as const
  const child = startProgram({ file, args: rest, cwd: sandboxed ? place.root : cwd, env, detached: true, stdio })
  for (const stream of child.stdio) stream?.on('error', () => {})
  await once(child, 'spawn')
  return running(child, sandboxed, place)
}

/** Waits until the group is on record, then becomes the server. */
const GATE = 'read -r go <&3 || exit 125; exec 3<&-; exec "$0" "$@"'

/** How long that may take: a process that left the group may hold them open, or nothing reads them. */
const LAST_WORDS_MS = 300

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}

async function running(
  child: ChildProcess,
  sandboxed: SandboxedStart | undefined,
  place: ServerPlace,
): Promise<ServerProcess> {
  const pid = child.pid!
  const isEnded = endWithUs(pid)
  const unlimit = sandboxed ? limitProcesses(pid, sandboxed.limits.processes) : () => {}
  const closed = new Promise((resolve) => child.once('close', resolve))
  let ending: Promise<void> | undefined
  const end = (graceMs?: number) => {
    ending ??= (async () => {
      if (await endGroup(pid, graceMs)) isEnded()
      unlimit()
      sandboxed?.release()
      // What it wrote last is read before its streams are closed: mostly it says why it ended.
      await Promise.race([closed, delay(LAST_WORDS_MS, undefined, { ref: false })])
      for (const stream of child.stdio) stream?.destroy()
    })()
    return ending
  }
  let violation = ''
  sandboxed?.violated?.addEventListener('abort', () => {
    violation = 'it changed what decides which programs git runs, and was ended'
    void end(0)
  })
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      // What it left in the background ends with it.
      void end(0)
      resolve(violation || (signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`))
    })
  })
  try {
    await place.record(groupOf(pid))
  } catch (error) {
    await end(0)
    throw error
  }
  const gate = child.stdio[3] as Writable
  gate.end('go\n')
  return { pid, stdin: child.stdin!, stdout: child.stdout!, stderr: child.stderr!, ended, end }
}

/** Only what exists: bubblewrap refuses to start with anything else. */
export function grantedFolders(folders: readonly string[], root: string, home: string | undefined) {
  const found = folders.flatMap((text) => {
    const isReadOnly = text.endsWith(':ro')
    const path = realPath(resolve(root, text.replace(/:ro$/, '').replace(/^~(?=\/|$)/, home ?? '~')))
    return path === undefined ? [] : [{ path, isReadOnly }]
  })
  return {
    writable: found.filter(({ isReadOnly }) => !isReadOnly).map(({ path }) => path),
    readable: found.filter(({ isReadOnly }) => isReadOnly).map(({ path }) => path),
  }
}

function intro(name: string, { program }: ServerPlace): string {
  return `${program?.title ?? `The MCP server ${name}`} is not started: `
}

function outside(intro: string, written: string, isWanted: boolean): string {
  const why = isWanted
    ? 'there is no sandbox here (deskmates doctor says why)'
    : 'it is configured to run outside of the sandbox'
  return `${intro}agents can write ${written}, which it runs, and ${why}. Move its program out of the workspace, or let it run in a sandbox.`
}
