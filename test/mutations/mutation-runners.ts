import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { editsOf, type Mutation, mutate } from './mutation.ts'

/**
 * `failed`: the named test turned red, as it must. `skipped`: it needs what this machine lacks, and `output` says what.
 * Everything else is a hole, with what went wrong in the run.
 */
export interface MutationResult {
  readonly status: 'failed' | 'skipped' | 'passed' | 'test not found' | 'source not loaded' | 'outdated' | 'broken run'
  readonly output: string
}

export interface MutationRunners extends AsyncDisposable {
  /** Runs the named test with the mistake in the sources, in the first process that is free. */
  run(mutation: Mutation): Promise<MutationResult>
}

/** At most `count` processes (./runner.mjs), started when they are needed. */
export function createMutationRunners(root: string, count: number): MutationRunners {
  const idle: ChildProcess[] = []
  const waiting: ((runner: ChildProcess) => void)[] = []
  const started: ChildProcess[] = []

  async function take(): Promise<ChildProcess> {
    const runner = idle.shift()
    if (runner) return runner
    if (started.length === count) return new Promise((resolve) => waiting.push(resolve))
    return start(root, started)
  }

  return {
    async run(mutation) {
      const edited = mutatedSources(root, mutation)
      const runner = await take()
      runner.send({ test: mutation.test, fails: mutation.fails, edited })
      const result = await messageOf(runner)
      const waiter = waiting.shift()
      if (waiter) waiter(runner)
      else idle.push(runner)
      return result
    },
    async [Symbol.asyncDispose]() {
      const exits = started.filter(({ exitCode }) => exitCode === null).map((runner) => once(runner, 'exit'))
      for (const runner of started) if (runner.connected) runner.disconnect()
      await Promise.all(exits)
    },
  }
}

function start(root: string, started: ChildProcess[]): ChildProcess {
  const path = join(import.meta.dirname, 'runner.mjs')
  const runner = fork(path, { cwd: root, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  started.push(runner)
  return runner
}

function mutatedSources(root: string, mutation: Mutation): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const edit of editsOf(mutation))
    texts[edit.file] = mutate(texts[edit.file] ?? readFileSync(join(root, edit.file), 'utf8'), edit)
  return texts
}

/** Rejects when the process has ended, and so does every later run in it. */
async function messageOf(runner: ChildProcess): Promise<MutationResult> {
  const over = new AbortController()
  try {
    if (runner.exitCode !== null) throw new Error(`The process that runs mutations ended with ${runner.exitCode}.`)
    return await Promise.race([
      once(runner, 'message', { signal: over.signal }).then(([result]) => result),
      once(runner, 'exit', { signal: over.signal }).then(([code]) => {
        throw new Error(`The process that runs mutations ended with ${code}.`)
      }),
    ])
  } finally {
    over.abort()
  }
}
