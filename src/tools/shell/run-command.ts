import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  endGroup,
  endWithUs,
  groupOf,
  isGroupAlive,
  type ProcessGroup,
} from '../../permissions/processes/process-group.ts'
import { limitLines, type ResourceLimits } from '../../permissions/processes/resource-limits.ts'
import { startProgram } from '../../permissions/processes/start-program.ts'
import type { SandboxedStart } from '../../permissions/sandbox/sandbox.ts'
import { TeamError } from '../../team/errors.ts'
import { openMergedPipe } from './merged-pipe.ts'
import { limitProcesses } from './process-limit.ts'

export interface CommandOptions {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** How the command is started inside of a sandbox. */
  readonly sandboxed?: SandboxedStart | undefined
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
 * with its output never delays the result. Throws the signal's reason when aborted, once nothing runs any more.
 */
export async function runCommand(options: CommandOptions): Promise<CommandEnd> {
  options.signal.throwIfAborted()
  const { child, reader } = await begin(options)
  const pid = child.pid!
  const isEnded = endWithUs(pid)
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const saysLeftOver = listenTo(child.stdio[4] as Readable | undefined)
  const drained = new Promise<void>((resolve) => reader.once('close', resolve))
  reader.on('error', () => reader.destroy()).on('data', options.onOutput)

  let isTimedOut = false
  let ending: Promise<boolean> | undefined
  const end = () => {
    ending ??= endGroup(pid)
  }
  options.signal.addEventListener('abort', end)
  const endNow = () => {
    ending ??= endGroup(pid, 0)
  }
  options.sandboxed?.violated?.addEventListener('abort', endNow)
  const unlimit = options.sandboxed ? limitProcesses(pid, options.sandboxed.limits.processes) : () => {}
  let timer: NodeJS.Timeout | undefined
  try {
    await options.record(groupOf(pid))
    if (options.signal.aborted) end()
    else open(child.stdio[3] as Writable)
    if (options.timeout !== undefined)
      timer = setTimeout(() => {
        isTimedOut = true
        end()
      }, options.timeout)
    const [code, killedBy] = await exited
    const leftOver =
      !ending && (options.sandboxed?.hasOwnProcesses ? await saysLeftOver() : await leavesSomething(pid, drained))
    return { code, killedBy, isTimedOut, leftOver }
  } finally {
    clearTimeout(timer)
    options.signal.removeEventListener('abort', end)
    options.sandboxed?.violated?.removeEventListener('abort', endNow)
    if (await (ending ?? endGroup(pid))) isEnded()
    unlimit()
    // A process that left the group for its own session may keep the pipe open for ever.
    await Promise.race([drained, delay(DRAIN_MS)])
    reader.destroy()
    options.signal.throwIfAborted()
  }
}

/** How long output that is on its way may take, in milliseconds, once the command itself has ended. */
const DRAIN_MS = 250

async function leavesSomething(pid: number, drained: Promise<void>): Promise<boolean> {
  await Promise.race([drained, delay(DRAIN_MS)])
  return isGroupAlive(pid)
}

/** How long the end of a command's own processes may take, in milliseconds. */
const REPORT_MS = 2000

/** What a sandboxed command left, as its gate says right before it ends; to be asked when it has ended. */
function listenTo(report: Readable | undefined): () => Promise<boolean> {
  let text = ''
  report?.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(0, 100)
  })
  const closed = new Promise<void>((resolve) => (report ? report.once('close', resolve) : resolve()))
  return async () => {
    await Promise.race([closed, delay(REPORT_MS)])
    return text.includes(LEFT_OVER)
  }
}

function open(gate: Writable): void {
  gate.end('go\n')
}

async function begin({
  command,
  cwd,
  env,
  sandboxed,
}: CommandOptions): Promise<{ child: ChildProcess; reader: Readable }> {
  const pipe = await openMergedPipe()
  try {
    const shell = SHELLS.find((path) => existsSync(path)) ?? '/bin/sh'
    const reports = sandboxed?.hasOwnProcesses ? (['pipe'] as const) : []
    const stdio = ['ignore', pipe?.writer ?? 'pipe', 'ignore', 'pipe', ...reports] as const
    const gate = sandboxed?.hasOwnProcesses ? sandboxedGate(sandboxed.limits) : GATE
    const [file = '', ...args] = [...(sandboxed?.prefix ?? []), '/bin/sh', '-c', gate, shell, command]
    const child = startProgram({ file, args, cwd, env, detached: true, stdio })
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

/** Waits for a line before it becomes the command; if the process that should send the line is gone, it never does. */
const GATE = 'exec 2>&1; read -r go <&3 || exit 125; exec 3<&-; exec "$0" -c "$1"'

/** What a sandboxed command says on descriptor 4 when processes of it are still there after it ended. */
export const LEFT_OVER = 'left'

/**
 * The same for a command with processes of its own (a pid namespace), of which this shell is the second. It stays, and
 * looks for what the command left while the namespace still exists: from outside, processes that the end of the
 * namespace is just ending cannot be told from those that were left in the background.
 */
function sandboxedGate(limits: ResourceLimits): string {
  return [
    'exec 2>/dev/null; read -r go <&3 || exit 125; exec 3<&-',
    limitLines(limits),
    '"$0" -c "$1" 2>&1 4>&-; code=$?; exec 1>&-',
    `left() { for p in /proc/[0-9]*; do case $p in /proc/1|/proc/$$) continue;; esac
      stat=; read -r stat <"$p/stat" || continue; case "\${stat##*) }" in [ZXx]*) continue;; esac; return 0; done; return 1; }`,
    // What ends by itself shortly after the command (a process substitution) was not left in the background.
    'for try in 1 2 3 4 5; do left || exit $code; sleep 0.05; done',
    `left && echo ${LEFT_OVER} >&4; exit $code`,
  ].join('\n')
}
