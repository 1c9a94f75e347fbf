import type { Replay } from '../session/replay/open-replay.ts'
import type { TimedLine } from '../session/wire/live-line.ts'
import { applyLine } from './apply-line.ts'
import { type KeptView, keepView } from './copy-view.ts'
import { emptyView, type View } from './view.ts'

export type ReplayLines = Pick<Replay, 'count' | 'read' | 'timeOf'>

/** The view of a session as it was at any of its steps. Step 0 is before the first line. */
export interface ReplayedView {
  readonly view: View
  readonly step: number
  /** The line of this step; undefined before the first. */
  readonly line: TimedLine | undefined
  /** Forward by the lines between, backward from the kept view before that step. One call at a time. */
  seek(step: number): Promise<void>
}

export interface KeepLimits {
  /** Steps between two kept views, at first. */
  readonly interval: number
  readonly most: number
  /** Characters in all of them. */
  readonly size: number
}

const LIMITS: KeepLimits = { interval: 500, most: 64, size: 64_000_000 }

/** Keeps a bounded number of views on the way, so that a step back costs as much in a long session as in a short one. */
export function replayedView(lines: ReplayLines, limits: KeepLimits = LIMITS): ReplayedView {
  const kept = new Map<number, KeptView>()
  let { interval } = limits
  let view = emptyView()
  let step = 0
  let line: TimedLine | undefined

  function keep(): void {
    if (step % interval !== 0 || kept.has(step)) return
    const before = Math.max(0, ...[...kept.keys()].filter((other) => other < step))
    kept.set(step, keepView(view, before === 0 ? Number.NEGATIVE_INFINITY : lines.timeOf(before)))
    const size = () => [...kept.values()].reduce((sum, one) => sum + one.size, 0)
    while (kept.size > 1 && (kept.size > limits.most || size() > limits.size)) {
      interval *= 2
      for (const other of kept.keys()) if (other % interval !== 0) kept.delete(other)
    }
  }

  function goBack(target: number): void {
    const before = Math.max(0, ...[...kept.keys()].filter((other) => other <= target))
    const { version } = view
    view = kept.get(before)?.restore() ?? emptyView()
    // Grows with every change, also with this one.
    view.version = version + 1
    step = before
    line = undefined
  }

  return {
    get view() {
      return view
    },
    get step() {
      return step
    },
    get line() {
      return line
    },
    async seek(wanted) {
      const target = Math.max(0, Math.min(lines.count, wanted))
      if (target < step) goBack(target)
      // The line at a kept view is not kept with it.
      if (target === step && step > 0 && !line) [line] = await lines.read(step - 1)
      while (step < target) {
        const batch = await lines.read(step)
        if (batch.length === 0) return
        for (const timed of batch) {
          if (step === target) return
          applyLine(view, timed)
          line = timed
          step++
          keep()
        }
      }
    },
  }
}
