import { spawn } from 'node:child_process'

/** What a command of the user printed; the end of it where it was long. */
export interface OwnCommandResult {
  readonly output: string
  /** Undefined when a signal ended it. */
  readonly code: number | undefined
}

const MAX_OUTPUT_CHARS = 100_000

/** Runs a command in the user's own shell, with the user's rights: no agent can cause it. Ends with its group on abort. */
export function runOwnCommand(
  command: string,
  { cwd, env, signal }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<OwnCommandResult> {
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(command, { cwd, env, shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const stop = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      } catch {
        // It ended in this moment.
      }
    }
    const add = (data: string) => {
      output = (output + data).slice(-MAX_OUTPUT_CHARS)
    }
    const end = (result: OwnCommandResult) => {
      signal.removeEventListener('abort', stop)
      resolve(result)
    }
    child.stdout.setEncoding('utf8').on('data', add)
    child.stderr.setEncoding('utf8').on('data', add)
    child.on('error', (error) => end({ output: error.message, code: 1 }))
    child.on('close', (code) => end({ output, code: code ?? undefined }))
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
}
