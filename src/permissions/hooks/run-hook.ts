import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { orUndefined } from '../paths/safe-reads.ts'
import { findProgram, SYSTEM_PATH, safePath } from '../processes/find-program.ts'
import { endGroup, endWithUs } from '../processes/process-group.ts'
import { limitLines } from '../processes/resource-limits.ts'
import { startProgram } from '../processes/start-program.ts'
import type { Sandbox, SandboxedStart } from '../sandbox/sandbox.ts'
import type { Hook } from './hook-settings.ts'

/** What a hook is run with. */
export interface HookPlace {
  readonly cwd: string
  /** Folders in which agents can write: no program of a hook is looked for there. */
  readonly writable?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Undefined where the user does not want a sandbox, or none works here. */
  readonly sandbox?: Sandbox | undefined
  /** No hook runs outside unless its own settings say so. */
  readonly requiresSandbox?: boolean
}

/**
 * How a hook ended.
 *
 * passed    it has nothing against it; what it said on stdout may be context
 * refused   it wants it not to happen, and says why
 * asked     it wants a person to be asked
 * failed    it broke: what that means is a setting
 * late      it took longer than it may, and was ended
 */
export type HookOutcome =
  | { readonly kind: 'passed'; readonly context: string }
  | { readonly kind: 'refused' | 'asked' | 'failed' | 'late'; readonly why: string }

const DEFAULT_TIMEOUT_S = 60
const MAX_OUTPUT_CHARS = 100_000

/**
 * Runs a hook as a process group of its own with JSON on its stdin, inside of the sandbox unless its settings say
 * otherwise: what it runs may be a file that agents write, such as the scripts of a package.json. Never throws.
 */
export async function runHook(hook: Hook, input: object, place: HookPlace, signal: AbortSignal): Promise<HookOutcome> {
  const ran = await runWithInput(hook, input, place, signal)
  return ran.kind === 'exited' ? outcomeOf(ran) : ran
}

/** How a program of the user ended. */
export type RanProgram =
  | {
      readonly kind: 'exited'
      /** Null when a signal ended it. */
      readonly code: number | null
      readonly killed: string | null
      readonly stdout: string
      readonly stderr: string
    }
  | { readonly kind: 'failed' | 'late'; readonly why: string }

/** The same for any program of the user that gets JSON on its stdin, whatever its exit code means. Never throws. */
export async function runWithInput(
  hook: Pick<Hook, 'command' | 'timeout' | 'sandbox'>,
  input: object,
  place: HookPlace,
  signal: AbortSignal,
): Promise<RanProgram> {
  if (hook.sandbox !== false && place.requiresSandbox && !place.sandbox) return NO_SANDBOX
  const scripts = hookScripts(hook.command, place.cwd, place.env.HOME)
  const sandboxed = hook.sandbox === false ? undefined : place.sandbox?.forCommand(hook.command, { scripts })
  try {
    return await runIn(hook, input, place, sandboxed, signal)
  } finally {
    sandboxed?.release()
  }
}

const NO_SANDBOX: RanProgram = {
  kind: 'failed',
  why: 'it must run in a sandbox, and there is none here; "sandbox": false in its settings lets it run outside',
}

async function runIn(
  hook: Pick<Hook, 'command' | 'timeout'>,
  input: object,
  { cwd, env, writable = [cwd] }: HookPlace,
  sandboxed: SandboxedStart | undefined,
  signal: AbortSignal,
): Promise<RanProgram> {
  const seconds = hook.timeout ?? DEFAULT_TIMEOUT_S
  const shell = findProgram('sh', SYSTEM_PATH, writable)?.file ?? '/bin/sh'
  const line = sandboxed ? `${limitLines(sandboxed.limits)}\n${hook.command}` : hook.command
  const [file = '', ...args] = [...(sandboxed?.prefix ?? []), shell, '-c', line]
  const shown = { ...(sandboxed?.env ?? env), ...projectOf(env), PATH: safePath(env.PATH, writable) }
  const stdio = ['pipe', 'pipe', 'pipe'] as const
  const child = startProgram({ file, args, cwd, env: shown, detached: true, stdio }) as ChildProcessWithoutNullStreams
  const ended = child.pid === undefined ? () => {} : endWithUs(child.pid)
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] = (said[name] + text).slice(0, MAX_OUTPUT_CHARS)
    })
  // A hook need not read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(input))

  const violated = sandboxed?.violated ? [sandboxed.violated] : []
  const late = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000), ...violated])
  try {
    const [code, killed] = (await once(child, 'exit', { signal: late })) as [number | null, string | null]
    await Promise.race([once(child.stdout, 'close'), once(late, 'abort'), soon()])
    return { kind: 'exited', code, killed, ...said }
  } catch (error) {
    if (late.aborted)
      return { kind: 'late', why: signal.aborted ? 'it was interrupted' : `it took longer than ${seconds} s` }
    return { kind: 'failed', why: `it could not be started (${(error as Error).message})` }
  } finally {
    if (child.pid !== undefined) await endGroup(child.pid)
    ended()
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  }
}

/** Where the project is, as scripts for other programs ask for it. */
function projectOf(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^(DESKMATES|CLAUDE)_PROJECT_DIR$/.test(name)))
}

/** What it left in the background may hold its output for ever. */
function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 250).unref())
}

function outcomeOf({ code, killed, stdout, stderr }: Extract<RanProgram, { kind: 'exited' }>): HookOutcome {
  const text = (stderr.trim() || stdout.trim()).slice(0, 10_000)
  if (code === 2) return { kind: 'refused', why: text || 'it gave no reason' }
  if (code !== 0) return { kind: 'failed', why: `${killed ?? `exit code ${code}`}${text === '' ? '' : `: ${text}`}` }
  return saidInJson(stdout) ?? { kind: 'passed', context: stdout.trim() }
}

/** A hook may also answer in JSON. It can refuse and ask; that it allows something changes nothing. */
function saidInJson(stdout: string): HookOutcome | undefined {
  if (!stdout.trimStart().startsWith('{')) return undefined
  const said = orUndefined(() => JSON.parse(stdout) as Said)
  if (said === undefined) return undefined
  const specific = said.hookSpecificOutput
  const why = [specific?.permissionDecisionReason, said.reason, said.stopReason].find(
    (text) => typeof text === 'string',
  )
  const decision = specific?.permissionDecision ?? said.permissionDecision ?? said.decision
  if (decision === 'deny' || decision === 'block' || said.continue === false)
    return { kind: 'refused', why: why ?? 'it gave no reason' }
  if (decision === 'ask') return { kind: 'asked', why: why ?? 'it gave no reason' }
  return { kind: 'passed', context: typeof specific?.additionalContext === 'string' ? specific.additionalContext : '' }
}

interface Said {
  readonly decision?: string
  readonly permissionDecision?: string
  readonly reason?: string
  readonly continue?: boolean
  readonly stopReason?: string
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string
    readonly permissionDecisionReason?: string
    readonly additionalContext?: string
  }
}

/** The files that the command of a hook names, by their real paths: they are shown to it inside of the sandbox. */
function hookScripts(command: string, root: string, home: string | undefined): string[] {
  const words = command.split(/[\s"'`;|&()<>=]+/).filter((word) => word.includes('/'))
  return [...new Set(words.flatMap((word) => realFile(placeOf(word, root, home)) ?? []))]
}

function placeOf(word: string, root: string, home: string | undefined): string {
  const path = word.replace(/^\$\{?(?:DESKMATES|CLAUDE)_PROJECT_DIR\}?(?=\/)/, root)
  const own = /^(?:~|\$\{?HOME\}?)\/(.*)$/.exec(path)?.[1]
  return own !== undefined && home !== undefined ? join(home, own) : resolve(root, path)
}

function realFile(path: string): string | undefined {
  return orUndefined(() => {
    const real = realpathSync(path)
    return statSync(real).isFile() ? real : undefined
  })
}
