import { once } from 'node:events'
import { endGroup } from './process-group.ts'
import { type ProgramStart, startProgram } from './start-program.ts'

export interface ProgramRun extends Omit<ProgramStart, 'stdio' | 'detached'> {
  /** Milliseconds after which it is ended. */
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
  /** Characters that are kept of its output. */
  readonly maxOutput?: number
  /** What it reads from its standard input; without it, nothing. */
  readonly input?: string | undefined
}

export interface ProgramEnd {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** It could not be started, took too long or printed too much. */
  readonly error?: NodeJS.ErrnoException
}

/** Runs a program of ours to its end, as a process group of its own. Never throws, never waits longer than it may. */
export async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const { timeout, signal, maxOutput = 100_000, input, ...start } = run
  const said = { stdout: '', stderr: '' }
  const late = AbortSignal.any([AbortSignal.timeout(timeout), ...(signal ? [signal] : [])])
  const child = startProgram({
    ...start,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  // A program that ends before it has read everything says so by its exit code.
  child.stdin?.on('error', () => {}).end(input)
  const tooMuch: { error?: Error } = {}
  for (const name of ['stdout', 'stderr'] as const)
    child[name]!.setEncoding('utf8').on('data', (text: string) => {
      if (said[name].length + text.length > maxOutput) tooMuch.error = new Error('it printed too much')
      said[name] = (said[name] + text).slice(0, maxOutput)
    })
  try {
    const [code] = (await once(child, 'close', { signal: late })) as [number | null]
    return { code, ...said, ...tooMuch }
  } catch (error) {
    return { code: null, ...said, error: late.aborted ? new Error('it took too long') : (error as Error) }
  } finally {
    if (child.pid !== undefined) await endGroup(child.pid, 0)
    for (const stream of [child.stdout, child.stderr]) stream?.destroy()
  }
}
