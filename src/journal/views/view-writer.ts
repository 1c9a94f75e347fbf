import type { Appender } from '../appender.ts'
import type { Fold } from '../fold/fold.ts'
import { scheduler } from '../scheduler.ts'
import type { Views } from '../views.ts'

/** Files are for people: a few times a second is enough while much happens, and at the end always. */
const MIN_PAUSE_MS = 250
/** Less often where there is much to write: it rests so many times as long as it worked. */
const PAUSE_FACTOR = 49
/** Milliseconds: programs read these files too, and a disk that was away once is no reason to let them wait. */
const MAX_PAUSE_MS = 2000
/** How often it is tried to sync beside the others' work. */
const SYNC_TRIES = 3

export interface ViewWriter {
  schedule(): void
  flush(): Promise<void>
}

export function openViewWriter(mirror: Views | undefined, appender: Appender): ViewWriter {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let shown = -1
  let owed = false
  let pause = MIN_PAUSE_MS

  /** `work` is given the end of the journal, synced, while nothing is folded. */
  async function atTheEnd<T>(work: (fold: Fold) => Promise<T>): Promise<T> {
    // A view that survived a power cut and its journal not would look like a journal that lost its end.
    // Nothing can be folded while it waits alone, so most of the waiting is done before.
    for (let tries = 0, at = -1; tries < SYNC_TRIES && at !== appender.fold.cursor.seq; tries++) {
      at = appender.fold.cursor.seq
      await appender.log.sync()
    }
    return appender.alone(async () => {
      await appender.log.sync()
      return work(appender.fold)
    })
  }

  /** Looks at the log again after writing, and repeats if it moved: an older view never stays on top of a newer one. */
  async function show(mirror: Views): Promise<void> {
    for (let tries = 0; tries < 10; tries++) {
      const at = appender.fold.cursor.seq
      await atTheEnd(({ state, cursor }) => mirror.write(state, cursor))
      shown = at
      owed = false
      await appender.refresh()
      if (appender.fold.cursor.seq === at) return
    }
  }

  /** The same while others work: one file at a time, and what has moved meanwhile is shown the next time. */
  async function showInSteps(mirror: Views): Promise<void> {
    let at = -1
    let worked = 0
    const timed = <T>(work: () => T): T => {
      const begin = performance.now()
      const done = work()
      worked += performance.now() - begin
      return done
    }
    const steps = await atTheEnd(({ state, cursor }) => {
      at = cursor.seq
      return timed(() => mirror.writeSteps(state, cursor))
    })
    for (const step of steps) {
      await scheduler.whenIdle()
      timed(step)
    }
    pause = Math.min(Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * worked), MAX_PAUSE_MS)
    shown = at
    owed = false
    await appender.refresh()
    if (appender.fold.cursor.seq !== at) schedule()
  }

  function schedule(): void {
    owed = true
    if (!mirror || timer) return
    timer = setTimeout(() => {
      timer = undefined
      // What cannot be shown now is shown at the next change, or named by the flush at the end.
      running = running.then(() => showInSteps(mirror)).catch(() => {})
    }, pause)
    timer.unref()
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
  }

  return {
    schedule,
    async flush() {
      stop()
      await running
      stop()
      if (mirror && (owed || (shown >= 0 && shown !== appender.fold.cursor.seq))) await show(mirror)
    },
  }
}
