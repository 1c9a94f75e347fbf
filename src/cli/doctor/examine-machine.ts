import { setTimeout as sleep } from 'node:timers/promises'
import { TeamError } from '../../team/errors.ts'
import { type Examination, type Finding, fail, notAvailable, why } from './examination.ts'
import { fileSystem } from './file-system.ts'
import type { TestEnvironment } from './test-environment.ts'

/** What is shown of one examination; `remedy` is null where there is nothing to do. */
export interface Examined {
  readonly name: string
  readonly verdict: Finding['verdict']
  readonly detail: string
  readonly remedy: string | null
}

/** Called before each examination begins and after it has ended, with the milliseconds it took. */
export interface Listener {
  begins(name: string, number: number, of: number): Promise<void>
  ended(examined: Examined, took: number): Promise<void>
}

/** In milliseconds. */
export interface Limits {
  /** No examination takes longer. */
  readonly each: number
  /** Time for a stopped examination to clean up. */
  readonly grace: number
}

const LIMITS: Limits = { each: 30_000, grace: 5000 }

/** Tries one thing after the other; each ends with a finding, whatever happens. Rejects only when interrupted. */
export async function examineMachine(
  environment: TestEnvironment,
  examinations: readonly Examination[],
  listener: Listener,
  limits = LIMITS,
): Promise<Examined[]> {
  const all: Examined[] = []
  let hasFolder = true
  for (const [i, examination] of examinations.entries()) {
    const { name, onDisk } = examination
    await listener.begins(name, i + 1, examinations.length)
    const began = performance.now()
    const finding: Finding = onDisk && !hasFolder ? NO_FOLDER : await examineOne(environment, examination, limits)
    if (environment.call.signal.aborted) throw new DoctorInterrupted()
    if (examination === fileSystem) hasFolder = finding.verdict === 'pass'
    const { verdict, detail, remedy = examination.remedy } = finding
    const examined = { name, verdict, detail, remedy: verdict === 'pass' ? null : remedy }
    await listener.ended(examined, performance.now() - began)
    all.push(examined)
  }
  return all
}

const NO_FOLDER = notAvailable(
  'there is no folder for teams to test it in',
  'Fix the file system first, then run deskmates doctor again',
)

async function examineOne(environment: TestEnvironment, { examine }: Examination, limits: Limits): Promise<Finding> {
  const late = AbortSignal.timeout(limits.each)
  const signal = AbortSignal.any([environment.signal, late])
  const over = new AbortController()
  // An examination that waits for one of our processes continues when that ends.
  const stop = () => void environment.children.end()
  signal.addEventListener('abort', stop)
  const tooLate = fail(`it did not end within ${limits.each / 1000} s`)
  try {
    const finding = await Promise.race([
      examine(environment.during(signal)),
      givenUp(signal, limits.grace, over.signal),
    ])
    return late.aborted ? tooLate : finding
  } catch (error) {
    return late.aborted ? tooLate : fail(why(error))
  } finally {
    over.abort()
    signal.removeEventListener('abort', stop)
    await environment.children.end()
  }
}

/** Rejects some time after `signal` aborts: a disk or a server may never answer again. */
async function givenUp(signal: AbortSignal, grace: number, over: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })
  await sleep(grace, undefined, { signal: over })
  throw new DoctorInterrupted()
}

class DoctorInterrupted extends TeamError {
  readonly code = 'interrupted'
  constructor() {
    super('Stopped. Whatever doctor had made is gone again.')
  }
}
