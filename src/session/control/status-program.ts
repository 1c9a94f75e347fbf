import type { SessionContext } from '../../agent/session-context.ts'
import { runWithInput } from '../../permissions/hooks/run-hook.ts'

/** The program that writes the status line of a terminal, as the settings name it. */
export interface StatusProgram {
  readonly command: string
  /** It runs outside of the sandbox, with the rights of the user. */
  readonly sandbox?: false | undefined
}

export type StatusOutcome = { readonly output: string } | { readonly failed: string }

/** Seconds that the program may take. */
const TIMEOUT_S = 5

/**
 * Runs it once, with JSON on its stdin and the environment that commands of agents get: in the sandbox, since what it runs
 * may be a file that agents write. Ends with everything it started. Never throws.
 */
export async function runStatusProgram(
  { command, sandbox: isSandboxed }: StatusProgram,
  input: object,
  {
    context: { root, folders, env, sandbox },
    requiresSandbox,
  }: { readonly context: SessionContext; readonly requiresSandbox: boolean },
  signal: AbortSignal,
): Promise<StatusOutcome> {
  const place = {
    ...{ cwd: root, writable: [root, ...folders], sandbox, requiresSandbox },
    env: { ...env, DESKMATES_PROJECT_DIR: root, CLAUDE_PROJECT_DIR: root },
  }
  const program = { command, timeout: TIMEOUT_S, ...(isSandboxed === false && { sandbox: false }) }
  const ran = await runWithInput(program, input, place, signal)
  if (ran.kind !== 'exited') return { failed: ran.why }
  if (ran.code === 0) return { output: ran.stdout }
  const said = ran.stderr.trim().split('\n')[0]!
  return { failed: `${ran.killed ?? `exit code ${ran.code}`}${said === '' ? '' : `: ${said}`}` }
}
