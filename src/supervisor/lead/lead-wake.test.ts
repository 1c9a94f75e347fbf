import { describe, expect, it } from 'vitest'
import { DEFAULT_SUPERVISOR_SETTINGS, type ScaledRole } from '../../agent/session-context.ts'
import type { TeamEvent } from '../../team/event.ts'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { createLeadWake } from './lead-wake.ts'

/** A lead of two teams, web and api, that wakes after 20 s. `expects`: whether a replay has its turn next. */
function lead({
  expects,
  hasRunningJob = false,
  scaling = [],
}: {
  expects?: () => boolean
  hasRunningJob?: boolean
  scaling?: readonly ScaledRole[]
} = {}) {
  const clock = manualClock()
  const worlds = { web: teamHarness('web'), api: teamHarness('api') }
  const received = new Set<string>()
  const notices: string[] = []
  const wake = createLeadWake({
    context: { clock, supervisor: DEFAULT_SUPERVISOR_SETTINGS, scaling },
    teams: Object.entries(worlds).map(([name, { state }]) => ({
      team: { name, state, ...(expects && { order: { expects } }) },
      isRecovering: false,
    })),
    isDelivered: (id) => received.has(id),
    hasRunningJob: () => hasRunningJob,
    notify: (text) => notices.push(text),
    onIdle: () => wake.check(),
  })
  for (const world of Object.values(worlds))
    for (const name of ['ada', 'bob']) world.ok({ type: 'member.spawn', name, role: 'dev', runtime: 'here' })
  function report(name: 'web' | 'api', event: TeamEvent): void {
    worlds[name].report([event], { name: 'ada', generation: 1 })
    wake.onEvents(name, [event])
    wake.check()
  }
  return {
    clock,
    wake,
    notices,
    addTask(role: string) {
      const id = worlds.web.add({ subject: 'paint', role })
      wake.onEvents('web', [{ type: 'task.updated', id }])
      wake.check()
    },
    activity: (name: string, status: 'idle' | 'working') =>
      report('web', { type: 'member.activity', name, generation: 1, status }),
    end: (name: string, type: 'member.stopped' | 'member.lost' | 'member.parked') =>
      report('web', { type, name, generation: 1, reason: 'it ended' }),
    result(id: string, team: 'web' | 'api' = 'web') {
      const message = { id, type: 'result', from: 'ada', to: 'lead', content: 'ok', timestamp: 1, task: '1' } as const
      report(team, { type: 'message.sent', message })
    },
    /** A turn of the lead receives these; with `read` a tool call shows them to it. */
    receive(id: string) {
      received.add(id)
      wake.onReceived()
      wake.check()
    },
    read(id: string) {
      received.add(id)
      wake.check()
    },
    isDueAfter(seconds: number) {
      clock.advance(seconds)
      return wake.isDue
    },
  }
}

describe('the lead', () => {
  it('is woken 20 s after a result is unheard and a teammate is idle, whichever came later', () => {
    const idleFirst = lead()
    idleFirst.activity('ada', 'idle')
    idleFirst.clock.advance(15)
    idleFirst.result('r1')
    expect([idleFirst.isDueAfter(19), idleFirst.isDueAfter(1)]).toEqual([false, true])
    const resultFirst = lead()
    resultFirst.result('r1')
    resultFirst.clock.advance(15)
    resultFirst.activity('ada', 'idle')
    expect([resultFirst.isDueAfter(19), resultFirst.isDueAfter(1)]).toEqual([false, true])
  })

  it('is woken for the teammate that has been idle for longest, however often it says so', () => {
    const { activity, result, clock, isDueAfter } = lead()
    result('r1')
    activity('ada', 'idle')
    clock.advance(10)
    activity('bob', 'idle')
    activity('ada', 'idle')
    expect([isDueAfter(9), isDueAfter(1)]).toEqual([false, true])
  })

  it('is not woken for a teammate that works again', () => {
    const { activity, result, clock, isDueAfter } = lead()
    result('r1')
    activity('ada', 'idle')
    clock.advance(10)
    activity('ada', 'working')
    expect([isDueAfter(100), clock.next]).toEqual([false, undefined])
  })

  it('is not woken for an idle teammate that has stopped, was lost or is parked', () => {
    for (const type of ['member.stopped', 'member.lost', 'member.parked'] as const) {
      const { activity, result, end, clock, isDueAfter } = lead()
      activity('ada', 'idle')
      result('r1')
      end('ada', type)
      expect([type, isDueAfter(100), clock.next]).toEqual([type, false, undefined])
    }
  })

  it('has the whole time again for a result that comes after it read the others by a tool call', () => {
    const { activity, result, read, clock, isDueAfter } = lead()
    activity('ada', 'idle')
    result('r1')
    clock.advance(15)
    read('r1')
    result('r2')
    expect([isDueAfter(19), isDueAfter(1)]).toEqual([false, true])
  })

  it('has the whole time again for a result that comes while it receives others', () => {
    const { activity, result, receive, wake, isDueAfter } = lead()
    activity('ada', 'idle')
    result('r1')
    expect(isDueAfter(20)).toBe(true)
    result('r2')
    receive('r1')
    expect(wake.isDue).toBe(false)
    expect([isDueAfter(19), isDueAfter(1)]).toEqual([false, true])
  })

  it('has no alarm when it has heard everything, and none after its end', () => {
    const { activity, result, receive, read, wake, clock } = lead()
    activity('ada', 'idle')
    result('r1')
    expect(clock.next).toBeDefined()
    receive('r1')
    expect(clock.next).toBeUndefined()
    result('r2')
    expect(clock.next).toBeDefined()
    read('r2')
    expect(clock.next).toBeUndefined()
    result('r3')
    expect(clock.next).toBeDefined()
    wake.close()
    expect(clock.next).toBeUndefined()
  })

  it('hears the results of every team that it leads when nothing else will happen', () => {
    const { result, wake, receive } = lead()
    expect(wake.hearResults()).toBe(false)
    result('r1', 'api')
    expect([wake.hearResults(), wake.isDue]).toEqual([true, true])
    receive('r1')
    expect(wake.hearResults()).toBe(false)
  })

  it('takes no turn for results or tasks where code starts the agents and reads what they did', () => {
    const byCode = lead({ scaling: [{} as ScaledRole] })
    for (const one of [byCode, lead()]) {
      one.activity('ada', 'idle')
      one.result('r1')
      one.addTask('painter')
      const isByCode = one === byCode
      expect([one.isDueAfter(100), one.wake.hearResults(), one.notices.length]).toEqual(
        isByCode ? [false, false, 0] : [true, true, 1],
      )
    }
  })

  it('takes the turns of a replay where they were recorded, after its jobs and whatever the time is', () => {
    let isNext = false
    const expects = () => isNext
    const replay = lead({ expects })
    const withJob = lead({ expects, hasRunningJob: true })
    for (const one of [replay, withJob]) {
      one.activity('ada', 'idle')
      one.result('r1')
      expect(one.isDueAfter(100)).toBe(false)
    }
    isNext = true
    for (const { wake } of [replay, withJob]) wake.check()
    expect([replay.wake.isDue, withJob.wake.isDue]).toEqual([true, false])
  })
})
