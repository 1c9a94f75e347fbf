import { once } from 'node:events'
import type { AlarmClock } from '../../journal/clock.ts'
import { boundedLine } from '../../mcp/client/untrusted-text.ts'
import { findProgram, safePath } from '../../permissions/processes/find-program.ts'
import { endGroup } from '../../permissions/processes/process-group.ts'
import { startProgram } from '../../permissions/processes/start-program.ts'
import { connectVendor } from './connection.ts'
import { PRESETS, type Preset } from './presets.ts'

export interface PresetCheck {
  readonly title: string
  readonly state: 'works' | 'not installed' | 'does not work'
  readonly why?: string
  readonly install: string
}

export interface PresetCheckOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: AlarmClock
  /** A folder of ours, in which the programs start: some load code from where they start. */
  readonly cwd: string
  /** Folders that agents can write to. No program in them is started: it would run outside of the sandbox. */
  readonly writable: readonly string[]
}

/** A program that does not answer for so long does not work. */
const ANSWER_SECONDS = 20

/** Starts each known program that is installed, and asks which protocol it speaks; nothing more. All at the same time. */
export function checkPresets(options: PresetCheckOptions): Promise<PresetCheck[]> {
  return Promise.all(Object.values(PRESETS).map((preset) => checkPreset(preset, options)))
}

async function checkPreset(preset: Preset, { env, clock, cwd, writable }: PresetCheckOptions): Promise<PresetCheck> {
  const { title, command, install } = preset
  const program = findProgram(command, env.PATH, writable)
  if (program === undefined) return { title, state: 'not installed', install }
  const { file, argv0 } = program
  // It is asked for nothing that needs credentials, so it gets none.
  const given = { PATH: safePath(env.PATH, writable), HOME: env.HOME ?? '', ...preset.env }
  const stdio = ['pipe', 'pipe', 'pipe'] as const
  const child = startProgram({ file, argv0, args: [...preset.args], cwd, env: given, detached: true, stdio })
  for (const stream of child.stdio) stream?.on('error', () => {})
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(`it ended with ${code ?? signal}`))
    child.once('error', (error) => resolve(error.message))
  })
  try {
    await once(child, 'spawn')
    const end = async () => void (child.pid !== undefined && (await endGroup(child.pid, 0)))
    const process = { stdin: child.stdin!, stdout: child.stdout!, stderr: child.stderr!, ended, end }
    const handler = { onUpdate() {}, onPermission: async () => ({ outcome: 'cancelled' as const }) }
    const connection = connectVendor({ title, process, clock, handler, startSeconds: ANSWER_SECONDS })
    try {
      await connection.initialize()
      return { title, state: 'works', install }
    } finally {
      await connection.close()
    }
  } catch (error) {
    const why = boundedLine(error instanceof Error ? error.message : String(error), 200)
    return { title, state: 'does not work', why, install }
  }
}
