import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { ProcessGroup } from '../../ports/tool.ts'
import { TeamError } from '../../team/errors.ts'
import { endGroup, endWithUs, groupOf, isGroupAlive } from './group.ts'
import { openMergedPipe } from './merged-pipe.ts'

export interface CommandPlan {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** A program and its arguments that run the command inside of a boundary. */
  readonly prefix?: readonly string[]
  readonly signal: AbortSignal
  /** Milliseconds; without it only the signal ends it. */
  readonly timeout: number | undefined
  /** Resolves when the group is on record; the command's first instruction waits for it. */
  record(group: ProcessGroup): Promise<void>
  /** Output and errors as they come, in order. */
  onOutput(bytes: Uint8Array): void
}

export interface CommandEnd {
  readonly code: number | null
  readonly killedBy: NodeJS.Signals | null
  readonly isTimedOut: boolean
  /** Processes it had left in the background were ended with it. */
  readonly leftOver: boolean
}

/**
 * Runs a shell command as a process group of its own. Whatever ends it ends the whole group, and what its children do
 * with its output never keeps anybody waiting. Throws the signal's reason when aborted, once nothing runs any more.
 */
export async function runCommand(plan: CommandPlan): Promise<CommandEnd> {
  plan.signal.throwIfAborted()
  const { child, reader } = await begin(plan)
  const pid = child.pid!
  const isEnded = endWithUs(pid)
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const drained = new Promise<void>((resolve) => reader.once('close', resolve))
  reader.on('error', () => reader.destroy()).on('data', plan.onOutput)

  let isTimedOut = false
  let ending: Promise<boolean> | undefined
  const end = () => {
    ending ??= endGroup(pid)
  }
  plan.signal.addEventListener('abort', end)
  let timer: NodeJS.Timeout | undefined
  try {
    await plan.record(groupOf(pid))
    if (plan.signal.aborted) end()
    else open(child.stdio[3] as Writable)
    if (plan.timeout !== undefined)
      timer = setTimeout(() => {
        isTimedOut = true
        end()
      }, plan.timeout)
    const [code, killedBy] = await exited
    const leftOver = (await leavesSomething(pid, drained)) && !ending
    return { code, killedBy, isTimedOut, leftOver }
  } finally {
    clearTimeout(timer)
    plan.signal.removeEventListener('abort', end)
    if (await (ending ?? endGroup(pid))) isEnded()
    // Who left the group for a session of its own may hold the pipe for ever.
    await Promise.race([drained, delay(DRAIN)])
    reader.destroy()
    plan.signal.throwIfAborted()
  }
}

/** How long output that is on its way may take, in milliseconds, once the command itself has ended. */
const DRAIN = 250

async function leavesSomething(pid: number, drained: Promise<void>): Promise<boolean> {
  await Promise.race([drained, delay(DRAIN)])
  return isGroupAlive(pid)
}

/** Waits for a line before it becomes the command; if whoever should send it is gone, it never does. */
const GATE = 'exec 2>&1; read -r go <&3 || exit 125; exec 3<&-; exec "$0" -c "$1"'

function open(gate: Writable): void {
  gate.end('go\n')
}

async function begin({
  command,
  cwd,
  env,
  prefix = [],
}: CommandPlan): Promise<{ child: ChildProcess; reader: Readable }> {
  const pipe = await openMergedPipe()
  try {
    const shell = SHELLS.find((path) => existsSync(path)) ?? '/bin/sh'
    const stdio = ['ignore', pipe?.writer ?? 'pipe', 'ignore', 'pipe'] as const
    const [program = '', ...args] = [...prefix, '/bin/sh', '-c', GATE, shell, command]
    const child = spawn(program, args, { cwd, env, detached: true, stdio: [...stdio] })
    // It may end before it reads the gate's line; its exit tells.
    child.stdio[3]?.on('error', () => {})
    await once(child, 'spawn')
    return { child, reader: pipe?.reader ?? child.stdout! }
  } catch (error) {
    pipe?.reader.destroy()
    throw new CommandNotStarted(cwd, error)
  } finally {
    pipe?.closeWriter()
  }
}

const SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash']

export class CommandNotStarted extends TeamError {
  readonly code = 'command_not_started'
  constructor(cwd: string, cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why =
      code === 'E2BIG'
        ? 'it is too long. Write it to a file with write_file, then run the file.'
        : code === 'ENOENT' && !existsSync(cwd)
          ? `its folder ${cwd} does not exist any more.`
          : `${message}.`
    super(`The command could not be started: ${why}`, { cause })
  }
}
