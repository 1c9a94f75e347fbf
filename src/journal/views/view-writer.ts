import type { Appender } from '../appender.ts'
import type { Fold } from '../fold/fold.ts'
import { scheduler } from '../scheduler.ts'
import type { Views } from '../views.ts'

/** Files are for people: a few times a second is enough while much happens, and at the end always. */
const MIN_PAUSE_MS = 250
/** The pause is this many times as long as the last write took: less often where there is much to write. */
const PAUSE_FACTOR = 49
/** Programs read these files too: one slow write must not delay the next for long. */
const MAX_PAUSE_MS = 2000
/** Syncs before the writer stops the appender, so that the last one has little left to sync. */
const SYNC_TRIES = 3

export interface ViewWriter {
  schedule(): void
  flush(): Promise<void>
}

export function openViewWriter(views: Views | undefined, appender: Appender): ViewWriter {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let shown = -1
  let owed = false
  let pause = MIN_PAUSE_MS

  /** `work` is given the end of the journal, synced, while nothing is folded. */
  async function atTheEnd<T>(work: (fold: Fold) => Promise<T>): Promise<T> {
    // If a view survived a power cut and its journal did not, the journal would seem to have lost its end.
    // Nothing is folded while this runs alone, so most of the syncing is done before.
    for (let tries = 0, at = -1; tries < SYNC_TRIES && at !== appender.fold.cursor.seq; tries++) {
      at = appender.fold.cursor.seq
      await appender.log.sync()
    }
    return appender.alone(async () => {
      await appender.log.sync()
      return work(appender.fold)
    })
  }

  /** Reads the log again after writing, and repeats if it grew: an older view never replaces a newer one for long. */
  async function show(views: Views): Promise<void> {
    for (let tries = 0; tries < 10; tries++) {
      const at = appender.fold.cursor.seq
      await atTheEnd(({ state, cursor }) => views.write(state, cursor))
      shown = at
      owed = false
      await appender.refresh()
      if (appender.fold.cursor.seq === at) return
    }
  }

  /** The same while others work: one file at a time, and what has moved meanwhile is shown the next time. */
  async function showInSteps(views: Views): Promise<void> {
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
      return timed(() => views.writeSteps(state, cursor))
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
    if (!views || timer) return
    timer = setTimeout(() => {
      timer = undefined
      // What cannot be shown now is shown at the next change, or named by the flush at the end.
      running = running.then(() => showInSteps(views)).catch(() => {})
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
      if (views && (owed || (shown >= 0 && shown !== appender.fold.cursor.seq))) await show(views)
    },
  }
}
