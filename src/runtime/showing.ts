import type { Mirror } from '../ports/mirror.ts'
import type { Appender } from './appender.ts'

/** Files are for people: a few times a second is enough while much happens, and at the end always. */
const PAUSE = 250

export interface Showing {
  soon(): void
  flush(): Promise<void>
}

export function openShowing(mirror: Mirror | undefined, appender: Appender): Showing {
  let timer: NodeJS.Timeout | undefined
  let shown = -1
  let owed = false

  /** Looks at the log again after writing, and repeats if it moved: an older view never stays on top of a newer one. */
  async function show(mirror: Mirror): Promise<void> {
    for (let tries = 0; tries < 10; tries++) {
      const at = appender.fold.cursor.seq
      await appender.alone(async () => {
        // A view that survived a power cut and its journal not would look like a journal that lost its end.
        const isHasty = __BUG__ === 'view-before-sync'
        if (!isHasty) await appender.log.sync()
        await mirror.show(appender.fold.state, appender.fold.cursor)
      })
      shown = at
      owed = false
      await appender.refresh()
      if (appender.fold.cursor.seq === at) return
    }
  }

  return {
    soon() {
      owed = true
      if (!mirror || timer) return
      timer = setTimeout(() => {
        timer = undefined
        // What cannot be shown now is shown at the next change, or named by the flush at the end.
        show(mirror).catch(() => {})
      }, PAUSE)
      timer.unref()
    },
    async flush() {
      clearTimeout(timer)
      timer = undefined
      if (mirror && (owed || (shown >= 0 && shown !== appender.fold.cursor.seq))) await show(mirror)
    },
  }
}
