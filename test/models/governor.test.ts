import { describe, expect, it } from 'vitest'
import { type Admission, createGovernor, type Governor } from '../../src/models/governor.ts'
import type { Model, ModelEvent } from '../../src/models/model.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'

const model: Model = { ...scriptedModel({ parts: [] }), provider: 'anthropic', account: 'anthropic 1' }
const other: Model = { ...model, account: 'anthropic 2' }
const signal = new AbortController().signal
const usage = { input: 1000, cacheRead: 0, cacheWrite: 0, output: 100 }

/** Somebody who has to wait. */
type Line = Exclude<ReturnType<Governor['admit']>, Admission>

/** A governor whose pauses end when the test lets time pass. */
function governed() {
  const clock = manualClock()
  const sleepers: { at: number; wake: () => void }[] = []
  const pause = (seconds: number, stop: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      sleepers.push({ at: clock.now() + seconds, wake: resolve })
      stop.addEventListener('abort', () => reject(stop.reason))
    })
  const governor = createGovernor(clock, pause)
  const admitted: string[] = []
  const admissions = new Map<string, Admission>()
  return {
    governor,
    admitted,
    admissions,
    /** Asks to be admitted, and notes when it is. */
    enter(agent: string, as = agent, of = model, urgency = 0) {
      const events: ModelEvent[] = []
      const ended = (async () => {
        const line = governor.admit(of, { agent, urgency }, signal)
        let admission = 'leave' in line ? line : undefined
        while (!admission) {
          const step = await (line as Line).next()
          if (step.done) admission = step.value
          else events.push(step.value)
        }
        admitted.push(as)
        admissions.set(as, admission)
      })()
      return { events, ended }
    },
    async pass(seconds: number) {
      clock.advance(seconds)
      for (const { at, wake } of sleepers) if (at <= clock.now()) wake()
      await settled()
    },
  }
}

/** All promises that can go on have gone on. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the governor', () => {
  it('lets the call first on which most work hangs, where calls have to wait', async () => {
    const { enter, admitted, admissions, pass } = governed()
    await enter('a').ended
    admissions.get('a')!.refused(60)
    for (const [agent, urgency] of [
      ['b', 1],
      ['c', 5],
      ['d', 5],
      ['e', 0],
    ] as const)
      enter(agent, agent, model, urgency)
    admissions.get('a')!.leave()
    await pass(61)
    for (const agent of ['c', 'd', 'b', 'e']) {
      expect(admitted.at(-1)).toBe(agent)
      admissions.get(agent)!.leave()
      await settled()
    }
  })

  it('holds nobody back for hours because of a header: the call itself then says what is wrong', async () => {
    const { enter, admitted, admissions, pass } = governed()
    await enter('a').ended
    admissions.get('a')!.heed([{ of: 'requests', left: 0, seconds: 36_000 }])
    admissions.get('a')!.leave()
    const { events, ended } = enter('b')
    await pass(299)
    expect(admitted).toEqual(['a'])
    expect(events).toMatchObject([{ type: 'waiting', seconds: 300 }])
    await pass(2)
    await ended
    expect(admitted).toEqual(['a', 'b'])
  }) // F35

  it('lets everybody through while nothing is known', async () => {
    const { enter, admitted } = governed()
    await Promise.all(['a', 'b', 'c'].map((agent) => enter(agent).ended))
    expect(admitted).toEqual(['a', 'b', 'c'])
  })

  it('stops everybody who shares a key after a refusal, says for how long, and nobody else', async () => {
    const { enter, admitted, admissions, pass } = governed()
    await enter('a').ended
    admissions.get('a')!.refused(12)
    admissions.get('a')!.leave()
    const b = enter('b')
    await enter('c', 'c', other).ended
    await pass(0)
    expect(b.events).toEqual([{ type: 'waiting', provider: 'anthropic', seconds: 12, why: 'its limit is reached' }])
    await pass(11)
    expect(admitted).toEqual(['a', 'c'])
    await pass(1)
    expect(admitted).toEqual(['a', 'c', 'b'])
  })

  it('takes the agents in turn, however many calls one of them has waiting', async () => {
    const { enter, admitted, admissions, pass } = governed()
    await enter('first').ended
    admissions.get('first')!.refused(5)
    for (const as of ['a1', 'a2', 'a3']) enter('a', as)
    enter('b', 'b1')
    enter('c', 'c1')
    // One at a time after a refusal.
    admissions.get('first')!.leave()
    await pass(5)
    for (const as of ['a1', 'b1', 'c1', 'a2', 'a3']) {
      expect(admitted.at(-1)).toBe(as)
      admissions.get(as)!.leave()
      await settled()
    }
  })

  it('sends no more than the headers say is left, until more is there', async () => {
    const { enter, admitted, admissions, pass } = governed()
    await enter('a').ended
    admissions.get('a')!.heed([{ of: 'requests', left: 2, seconds: 30 }])
    admissions.get('a')!.succeeded(usage)
    admissions.get('a')!.leave()
    for (const agent of ['b', 'c', 'd']) enter(agent)
    await settled()
    expect(admitted).toEqual(['a', 'b', 'c'])
    await pass(30)
    expect(admitted).toEqual(['a', 'b', 'c', 'd'])
  })

  it('counts tokens by what calls used so far', async () => {
    const { enter, admitted, admissions, pass } = governed()
    await enter('a').ended
    admissions.get('a')!.heed([{ of: 'tokens', left: 2500, seconds: 10 }])
    admissions.get('a')!.succeeded(usage)
    admissions.get('a')!.leave()
    for (const agent of ['b', 'c', 'd']) enter(agent)
    await settled()
    expect(admitted).toEqual(['a', 'b', 'c'])
    await pass(10)
    expect(admitted).toContain('d')
  })

  it('lets fewer through at a time after a refusal, and slowly more again after successes', async () => {
    const { enter, admitted, admissions, pass } = governed()
    await Promise.all(['a', 'b', 'c', 'd'].map((agent) => enter(agent).ended))
    admissions.get('a')!.refused(1)
    for (const agent of ['a', 'b', 'c', 'd']) admissions.get(agent)!.leave()
    for (const agent of ['e', 'f', 'g', 'h', 'i']) enter(agent)
    await pass(1)
    expect(admitted.slice(4)).toEqual(['e', 'f'])
    for (const agent of ['e', 'f']) admissions.get(agent)!.succeeded(usage)
    admissions.get('e')!.leave()
    await settled()
    admissions.get('f')!.leave()
    await settled()
    expect(admitted.slice(4)).toEqual(['e', 'f', 'g', 'h'])
    admissions.get('g')!.succeeded(usage)
    admissions.get('h')!.succeeded(usage)
    await pass(0)
    admissions.get('g')!.leave()
    await settled()
    expect(admitted.slice(4)).toEqual(['e', 'f', 'g', 'h', 'i'])
  })

  it('forgets whoever is aborted while waiting, and serves the next', async () => {
    const { governor, enter, admitted, admissions, pass } = governed()
    await enter('a').ended
    admissions.get('a')!.refused(5)
    const stop = new AbortController()
    const line = governor.admit(model, { agent: 'b' }, stop.signal) as Line
    await line.next()
    const waiting = line.next()
    enter('c')
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    admissions.get('a')!.leave()
    await pass(5)
    expect(admitted).toEqual(['a', 'c'])
  })
})
