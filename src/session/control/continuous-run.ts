import type { Stop } from '../../agent/agent-event.ts'
import { limitText } from '../../prompts/limit.ts'
import { BUDGET_USED } from '../../prompts/reports.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import type { Session } from '../session.ts'

/** Runs a session whenever there is something to do, until it is disposed. In between it costs nothing. */
export interface ContinuousRun extends AsyncDisposable {
  readonly isWorking: boolean
  /** Why the last run ended before its work did; null if it did not. */
  readonly error: string | null
  /** Something came from outside: a run begins, also after one that failed. */
  start(): void
  /** Runs `work` while no run is going on; undefined, with nothing done, if one is. */
  alone<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> | undefined
}

export function startContinuousRun(
  session: Session,
  supervisor: Supervisor,
  onChange: (run: Pick<ContinuousRun, 'isWorking' | 'error'>) => void,
): ContinuousRun {
  const closing = new AbortController()
  let isWorking = false
  let isReserved = false
  let error: string | null = null
  let isWanted = false
  /** A run that failed would fail again: the next one begins when something comes from outside. */
  let isHeld = false

  function isDue(): boolean {
    return !isReserved && (isWanted || (!isHeld && supervisor.isWorkDue))
  }

  async function live(): Promise<void> {
    while (!closing.signal.aborted) {
      if (isDue()) await runOnce()
      else await supervisor.changed(closing.signal)
    }
  }

  async function runOnce(): Promise<void> {
    isWanted = isHeld = false
    isWorking = true
    error = null
    onChange({ isWorking, error })
    const stop = await runToStop(session, closing.signal)
    isWorking = false
    isHeld = stop.kind !== 'finished'
    error = whyStopped(stop)
    onChange({ isWorking, error })
  }

  // The caller gets it before the first run begins.
  const ended = Promise.resolve().then(live)

  return {
    get isWorking() {
      return isWorking
    },
    get error() {
      return error
    },
    start() {
      isHeld = false
      if (isWorking) return
      isWanted = true
      supervisor.context.run.onChange()
    },
    alone(work) {
      if (isWorking || isReserved) return undefined
      isReserved = true
      return work(closing.signal).finally(() => {
        isReserved = false
        supervisor.context.run.onChange()
      })
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await ended
    },
  }
}

/** Its events are read by a watcher of the session. */
async function runToStop(session: Session, signal: AbortSignal): Promise<Stop> {
  const run = session.run(undefined, signal)
  try {
    for (;;) {
      const step = await run.next()
      if (step.done) return step.value
    }
  } catch (cause) {
    return { kind: 'error', error: cause instanceof Error ? cause : new Error(String(cause)), text: '' }
  }
}

function whyStopped(stop: Stop): string | null {
  switch (stop.kind) {
    case 'finished':
    case 'aborted':
      return null
    case 'limit':
      return `The work is not finished: ${limitText(stop)}.`
    case 'budget':
      return `The work is not finished: ${BUDGET_USED}.`
    case 'error':
      return stop.error.message
  }
}
