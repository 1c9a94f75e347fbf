import { fstatSync, readSync, statSync } from 'node:fs'
import { systemClock } from '../journal/clock.ts'
import { paintFirst } from './interactive/paint-first.ts'
import type { Context, Output } from './program/context.ts'

// What runs the command is imported when the prompt of a conversation is painted, so that a person does not wait for it.

/** Runs one command line as this process: its streams, its environment, its signals, its exit code. */
export async function runProcess(argv: readonly string[]): Promise<void> {
  const interrupted = new AbortController()
  let exit: number | undefined
  const onSignal = (code: number) => () => {
    // A second signal: exit at once, without waiting for pending writes.
    if (exit !== undefined) process.exit(code)
    exit = code
    interrupted.abort()
  }
  process.on('SIGINT', onSignal(130))
  process.on('SIGTERM', onSignal(143))
  // The terminal was closed: commands of agents run in sessions of their own and would not notice.
  process.on('SIGHUP', onSignal(129))
  // Each write reports its own failure; without a listener the process would crash.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  process.on('uncaughtException', async (error) => {
    context.prompt?.close()
    process.exit(await (await import('./report-uncaught.ts')).reportUncaught(error, argv))
  })

  let context: Context = {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    cwd: process.cwd(),
    isTerminal: process.stdout.isTTY === true,
    isStderrTerminal: process.stderr.isTTY === true,
    isStdinTerminal: process.stdin.isTTY === true,
    isStdoutClosed: isClosed(1),
    signal: interrupted.signal,
    clock: systemClock,
  }
  const prompt = await paintFirst(argv, context)
  if (prompt) {
    const closing = (output: Output) => closingFirst(output, () => prompt.close())
    context = { ...context, prompt, stdout: closing(context.stdout), stderr: closing(context.stderr) }
  }
  const { runCommandLine } = await import('./command-line.ts')
  const code = await runCommandLine(argv, context)
  prompt?.close()
  // Not process.exitCode alone: an open pipe on stdin would keep the process alive.
  process.exit(exit ?? code)
}

/** The output, of which nothing is written beside the prompt. */
function closingFirst(output: Output, close: () => void): Output {
  return {
    write(text, done) {
      close()
      return output.write(text, done)
    },
    get columns() {
      return output.columns
    },
    get rows() {
      return output.rows
    },
  }
}

/**
 * Node opens /dev/null for reading and writing in place of a stream that was closed when it started. A shell's
 * `>/dev/null` opens it for writing only: reading from that fails.
 */
function isClosed(descriptor: number): boolean {
  try {
    const [stream, nothing] = [fstatSync(descriptor), statSync('/dev/null')]
    if (!stream.isCharacterDevice() || stream.rdev !== nothing.rdev) return false
    readSync(descriptor, Buffer.alloc(1))
    return true
  } catch {
    return false
  }
}
