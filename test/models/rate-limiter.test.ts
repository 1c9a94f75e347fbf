import { describe, expect, it } from 'vitest'
import type { Model, ModelEvent } from '../../src/models/model.ts'
import type { Admission } from '../../src/models/rate-limits/account-queue.ts'
import { createRateLimiter, type RateLimiter } from '../../src/models/rate-limits/rate-limiter.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'

const model: Model = { ...scriptedModel({ parts: [] }), provider: 'anthropic', account: 'anthropic 1' }
const other: Model = { ...model, account: 'anthropic 2' }
const signal = new AbortController().signal
const usage = { input: 1000, cacheRead: 0, cacheWrite: 0, output: 100 }

/** A call that has to wait. */
type WaitingCall = Exclude<ReturnType<RateLimiter['admit']>, Admission>

/** A rate limiter whose pauses end when the test advances the clock. */
function limited() {
  const clock = manualClock()
  const pauses: { at: number; wake: () => void }[] = []
  const pause = (seconds: number, stop: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      pauses.push({ at: clock.now() + seconds, wake: resolve })
      stop.addEventListener('abort', () => reject(stop.reason))
    })
  const rateLimiter = createRateLimiter(clock, pause)
  const admitted: string[] = []
  const admissions = new Map<string, Admission>()
  return {
    rateLimiter,
    admitted,
    admissions,
    /** Requests an admission and records it. */
    request(agent: string, as = agent, of = model, urgency = 0) {
      const events: ModelEvent[] = []
      const ended = (async () => {
        const call = rateLimiter.admit(of, { agent, urgency }, signal)
        let admission = 'release' in call ? call : undefined
        while (!admission) {
          const step = await (call as WaitingCall).next()
          if (step.done) admission = step.value
          else events.push(step.value)
        }
        admitted.push(as)
        admissions.set(as, admission)
      })()
      return { events, ended }
    },
    async advance(seconds: number) {
      clock.advance(seconds)
      for (const { at, wake } of pauses) if (at <= clock.now()) wake()
      await settled()
    },
  }
}

/** Every promise that can resolve has resolved. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the rate limiter', () => {
  it('admits the most urgent call first when calls have to wait', async () => {
    const { request, admitted, admissions, advance } = limited()
    await request('a').ended
    admissions.get('a')!.refused(60)
    for (const [agent, urgency] of [
      ['b', 1],
      ['c', 5],
      ['d', 5],
      ['e', 0],
    ] as const)
      request(agent, agent, model, urgency)
    admissions.get('a')!.release()
    await advance(61)
    for (const agent of ['c', 'd', 'b', 'e']) {
      expect(admitted.at(-1)).toBe(agent)
      admissions.get(agent)!.release()
      await settled()
    }
  })

  it('delays no call for hours because of a header: the call itself then reports what is wrong', async () => {
    const { request, admitted, admissions, advance } = limited()
    await request('a').ended
    admissions.get('a')!.updateLimits([{ of: 'requests', left: 0, seconds: 36_000 }])
    admissions.get('a')!.release()
    const { events, ended } = request('b')
    await advance(299)
    expect(admitted).toEqual(['a'])
    expect(events).toMatchObject([{ type: 'waiting', seconds: 300 }])
    await advance(2)
    await ended
    expect(admitted).toEqual(['a', 'b'])
  }) // F35

  it('admits every call while no limit is known', async () => {
    const { request, admitted } = limited()
    await Promise.all(['a', 'b', 'c'].map((agent) => request(agent).ended))
    expect(admitted).toEqual(['a', 'b', 'c'])
  })

  it('delays all calls with the same key after a refusal, reports how long, and no other call', async () => {
    const { request, admitted, admissions, advance } = limited()
    await request('a').ended
    admissions.get('a')!.refused(12)
    admissions.get('a')!.release()
    const b = request('b')
    await request('c', 'c', other).ended
    await advance(0)
    expect(b.events).toEqual([{ type: 'waiting', provider: 'anthropic', seconds: 12, why: 'its limit is reached' }])
    await advance(11)
    expect(admitted).toEqual(['a', 'c'])
    await advance(1)
    expect(admitted).toEqual(['a', 'c', 'b'])
  })

  it('admits agents in turn, however many calls one of them has waiting', async () => {
    const { request, admitted, admissions, advance } = limited()
    await request('first').ended
    admissions.get('first')!.refused(5)
    for (const as of ['a1', 'a2', 'a3']) request('a', as)
    request('b', 'b1')
    request('c', 'c1')
    // One at a time after a refusal.
    admissions.get('first')!.release()
    await advance(5)
    for (const as of ['a1', 'b1', 'c1', 'a2', 'a3']) {
      expect(admitted.at(-1)).toBe(as)
      admissions.get(as)!.release()
      await settled()
    }
  })

  it('admits no more calls than the headers say are left, until the limit is reset', async () => {
    const { request, admitted, admissions, advance } = limited()
    await request('a').ended
    admissions.get('a')!.updateLimits([{ of: 'requests', left: 2, seconds: 30 }])
    admissions.get('a')!.succeeded(usage)
    admissions.get('a')!.release()
    for (const agent of ['b', 'c', 'd']) request(agent)
    await settled()
    expect(admitted).toEqual(['a', 'b', 'c'])
    await advance(30)
    expect(admitted).toEqual(['a', 'b', 'c', 'd'])
  })

  it('estimates the tokens of a call by what earlier calls used', async () => {
    const { request, admitted, admissions, advance } = limited()
    await request('a').ended
    admissions.get('a')!.updateLimits([{ of: 'tokens', left: 2500, seconds: 10 }])
    admissions.get('a')!.succeeded(usage)
    admissions.get('a')!.release()
    for (const agent of ['b', 'c', 'd']) request(agent)
    await settled()
    expect(admitted).toEqual(['a', 'b', 'c'])
    await advance(10)
    expect(admitted).toContain('d')
  })

  it('admits fewer calls at a time after a refusal, and slowly more again after successes', async () => {
    const { request, admitted, admissions, advance } = limited()
    await Promise.all(['a', 'b', 'c', 'd'].map((agent) => request(agent).ended))
    admissions.get('a')!.refused(1)
    for (const agent of ['a', 'b', 'c', 'd']) admissions.get(agent)!.release()
    for (const agent of ['e', 'f', 'g', 'h', 'i']) request(agent)
    await advance(1)
    expect(admitted.slice(4)).toEqual(['e', 'f'])
    for (const agent of ['e', 'f']) admissions.get(agent)!.succeeded(usage)
    admissions.get('e')!.release()
    await settled()
    admissions.get('f')!.release()
    await settled()
    expect(admitted.slice(4)).toEqual(['e', 'f', 'g', 'h'])
    admissions.get('g')!.succeeded(usage)
    admissions.get('h')!.succeeded(usage)
    await advance(0)
    admissions.get('g')!.release()
    await settled()
    expect(admitted.slice(4)).toEqual(['e', 'f', 'g', 'h', 'i'])
  })

  it('removes a call that is aborted while waiting, and admits the next', async () => {
    const { rateLimiter, request, admitted, admissions, advance } = limited()
    await request('a').ended
    admissions.get('a')!.refused(5)
    const stop = new AbortController()
    const call = rateLimiter.admit(model, { agent: 'b' }, stop.signal) as WaitingCall
    await call.next()
    const waiting = call.next()
    request('c')
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    admissions.get('a')!.release()
    await advance(5)
    expect(admitted).toEqual(['a', 'c'])
  })
})
