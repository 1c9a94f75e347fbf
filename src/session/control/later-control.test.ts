import { expect, it } from 'vitest'
import { manualClock } from '../../testing/manual-clock.ts'
import { fakeSessionControl } from '../../testing/terminal/fake-session-control.ts'
import type { TimedLine } from '../wire/live-line.ts'
import { laterControl } from './later-control.ts'
import type { SessionControl } from './session-control.ts'

function opening() {
  const clock = manualClock()
  let [open, fail] = [(_: SessionControl) => {}, (_: Error) => {}]
  const opened = new Promise<SessionControl>((resolve, reject) => {
    ;[open, fail] = [resolve, reject]
  })
  const control = fakeSessionControl(() => clock.now())
  return { control, later: laterControl(opened, clock), open: () => open(control), fail }
}

it('does what a person asked for when the session is open', async () => {
  const { control, later, open } = opening()
  const lines: TimedLine[] = []
  later.subscribe((timed) => lines.push(timed))
  const prompted = later.prompt('Begin.')
  expect([later.session, control.calls]).toEqual(['', []])
  open()
  await prompted
  expect(control.calls).toContainEqual(['prompt', 'Begin.'])
  expect(later.session).toBe(control.session)
  control.input('lead', 'Begin.')
  await expect.poll(() => lines.some(({ line }) => line.type === 'user')).toBe(true)
})

it('rejects what waits for a session that cannot be opened, with the reason', async () => {
  const { later, fail } = opening()
  const waiting = later.history('lead', 1)
  fail(new Error('no such model'))
  await expect(waiting).rejects.toThrow('no such model')
})

it('gives warnings to every reader, also to one that comes later', async () => {
  const { later } = opening()
  const texts: string[][] = [[], []]
  const read = (i: number) =>
    later.subscribe(({ line }) => void (line.type === 'deskmates/note' && texts[i]!.push(line.text)))
  read(0)
  later.note('no sandbox')
  read(1)
  await Promise.resolve()
  expect(texts).toEqual([['no sandbox'], ['no sandbox']])
})
