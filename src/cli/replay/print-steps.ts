import { safeJson } from '../../redaction/plain-text.ts'
import type { Replay } from '../../session/replay/open-replay.ts'
import type { TimedLine } from '../../session/wire/live-line.ts'
import { dumpState } from '../../team/fold/snapshot.ts'
import { applyLine } from '../../view/apply-line.ts'
import { waitBefore } from '../../view/replay-waits.ts'
import { emptyView } from '../../view/view.ts'
import { time } from '../output/format.ts'
import { print, printAsIs } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { lineText } from './line-text.ts'

/** Which steps are played. */
export interface Steps {
  /** The step at which it begins; 0 is before the first. */
  readonly from: number
  readonly to: number
  /** Only what was known at `from` is wanted. */
  readonly isOneMoment: boolean
}

/** One JSON object per line, without waiting. What was before the first step that is printed comes as states of the teams. */
export async function printSteps(call: Call, replay: Replay, { from, to, isOneMoment }: Steps): Promise<void> {
  const before = isOneMoment ? from : from - 1
  if (before > 0) {
    const states = await statesAt(replay, before)
    await printAsIs(call, states.map((timed) => jsonLine(timed, before)).join(''))
  }
  if (isOneMoment) return
  let text = ''
  for await (const { timed, step } of stepsBetween(replay, Math.max(0, before), to)) {
    if (call.signal.aborted) return
    text += jsonLine(timed, step)
    if (text.length < WRITE_CHARS) continue
    await printAsIs(call, text)
    text = ''
  }
  await printAsIs(call, text)
}

/** Many small writes cost more: the redactor looks again at the end of what it wrote last. */
const WRITE_CHARS = 64 * 1024

function jsonLine({ at, line }: TimedLine, step: number): string {
  return `${safeJson({ ...line, at, step })}\n`
}

/** Every team as it was behind a step. */
async function statesAt(replay: Replay, until: number): Promise<TimedLine[]> {
  const view = emptyView()
  const places = new Map<string, number>()
  for await (const { timed } of stepsBetween(replay, 0, until)) {
    applyLine(view, timed)
    if (timed.line.type === 'deskmates/record') places.set(timed.line.team, timed.line.seq)
  }
  const base = { type: 'deskmates/state', session_id: replay.session, agent: 'lead' } as const
  return [...view.teams].map(([team, state]) => ({
    at: replay.timeOf(until),
    line: { ...base, team, seq: places.get(team) ?? 0, state: dumpState(state) },
  }))
}

/** A line of text per step, with the waits between them. */
export async function tellSteps(call: Call, replay: Replay, { from, to, isOneMoment }: Steps, speed: number) {
  const [first, last] = isOneMoment ? [Math.max(0, from - 1), from] : [Math.max(0, from - 1), to]
  for await (const { timed, step } of stepsBetween(replay, first, last)) {
    if (step > first + 1) await passed(call, waitBefore(replay, step) / speed)
    if (call.signal.aborted) return
    await print(call, `${time(timed.at).slice(11)}  ${lineText(timed)}\n`)
  }
}

async function passed({ clock, signal }: Call, seconds: number): Promise<void> {
  if (seconds <= 0 || signal.aborted) return
  await new Promise<void>((resolve) => {
    const cancel = clock.in(seconds, resolve)
    signal.addEventListener('abort', () => {
      cancel()
      resolve()
    })
  })
}

/** The lines of the steps behind `after`, up to `to`. */
async function* stepsBetween(replay: Replay, after: number, to: number) {
  for (let step = after; step < to; ) {
    const batch = await replay.read(step)
    if (batch.length === 0) return
    for (const timed of batch) {
      if (step === to) return
      step++
      yield { timed, step }
    }
  }
}
