import { expect, it } from 'vitest'
import { manualClock } from '../testing/manual-clock.ts'
import { watchSilence } from './silence.ts'

const call = { type: 'tool-call' as const, toolCallId: 'a', toolName: 'bash', input: {} }

it('silence of a model is not counted while a tool runs', () => {
  const clock = manualClock()
  let ended = 0
  const watch = watchSilence(clock, { seconds: () => 120, mayEnd: () => true, end: () => ended++ })
  watch.onEvent({ type: 'tool_started', call })
  clock.advance(1000)
  expect([ended, watch.isSilent]).toEqual([0, false])
  watch.onEvent({ type: 'tool_finished', call, result: { text: '' }, denied: undefined })
  clock.advance(119)
  expect(ended).toBe(0)
  clock.advance(2)
  expect(ended).toBe(1)
}) // T54

it('silence of a model is not counted while one of several tools still runs', () => {
  const clock = manualClock()
  let ended = 0
  const watch = watchSilence(clock, { seconds: () => 120, mayEnd: () => true, end: () => ended++ })
  const slow = { ...call, toolCallId: 'b' }
  for (const one of [call, slow]) watch.onEvent({ type: 'tool_started', call: one })
  watch.onEvent({ type: 'tool_finished', call, result: { text: '' }, denied: undefined })
  clock.advance(1000)
  expect([ended, watch.isSilent]).toEqual([0, false])
  watch.onEvent({ type: 'tool_finished', call: slow, result: { text: '' }, denied: undefined })
  clock.advance(121)
  expect(ended).toBe(1)
}) // T54

it('silence is checked again soon when the run had something else to wait for', () => {
  const clock = manualClock()
  let isFree = false
  let ended = 0
  const watch = watchSilence(clock, { seconds: () => 120, mayEnd: () => isFree, end: () => ended++ })
  watch.onEvent()
  clock.advance(121)
  expect([ended, watch.isSilent]).toEqual([0, true])
  isFree = true
  clock.advance(11)
  expect(ended).toBe(1)
}) // T54
