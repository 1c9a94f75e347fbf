import { describe, expect, it } from 'vitest'
import { manualClock } from '../testing/manual-clock.ts'
import { watchSilence, watchStall } from './silence.ts'

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

describe('signs of life of an agent', () => {
  const watched = (isWaiting = () => false) => {
    const clock = manualClock()
    const ended: number[] = []
    const limits = { silence: 60, stall: 900 }
    const watch = watchStall(clock, { limits, isWaiting, end: (seconds) => ended.push(seconds) })
    watch.onEvent()
    return { clock, ended, watch }
  }

  it('are pieces of an answer and events of tools, not messages', () => {
    const { clock, ended, watch } = watched()
    for (let minute = 0; minute < 10; minute++) {
      clock.advance(59)
      watch.onEvent({ type: 'text', delta: '.' })
    }
    expect(ended).toEqual([])
    clock.advance(60)
    expect(ended).toEqual([60])
  }) // C63, F46

  it('may be missing for longer while a tool runs, a call waits, or a person is asked', () => {
    const { clock, ended, watch } = watched()
    watch.onEvent({ type: 'tool_started', call })
    clock.advance(899)
    watch.onEvent({ type: 'tool_finished', call, result: { text: '' }, denied: undefined })
    watch.onEvent({ type: 'waiting', provider: 'acme', seconds: 300, why: 'rate limit' })
    clock.advance(359)
    expect(ended).toEqual([])
    clock.advance(1)
    expect(ended).toEqual([60])
    const asking = watched(() => true)
    asking.clock.advance(3600)
    expect(asking.ended).toEqual([])
  }) // F46
})
