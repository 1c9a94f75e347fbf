import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import type { MessageType } from '../message.ts'
import { type TeamState, unreadOf } from '../state.ts'
import { isFinished } from './finished.ts'
import { hasUnheardResults, type ResultDelivery, strandedTasks, wakesLead } from './lead-wakes.ts'

describe('mail of the lead', () => {
  function mail(...messages: { readonly type: MessageType; readonly task?: string }[]) {
    const world = teamHarness()
    world.join('ada')
    world.add('an ordinary task')
    world.add({ subject: 'one that decides', wakeLead: true })
    for (const [i, message] of messages.entries()) {
      const content = { from: 'ada', to: 'lead', content: 'well', timestamp: 1 }
      world.report([{ type: 'message.sent', message: { id: `m${i}`, ...content, ...message } }], 'ada')
    }
    return world.state
  }
  const waking = (state: TeamState, delivery: ResultDelivery = 'together') =>
    unreadOf(state, 'lead').map((unread) => wakesLead(state, unread, delivery))

  it('is worth a turn unless it is an idle notice or the result of an ordinary task', () => {
    const state = mail(
      { type: 'message' },
      { type: 'broadcast' },
      { type: 'error', task: '1' },
      { type: 'shutdown_response' },
      { type: 'escalation' },
      { type: 'result' },
      { type: 'result', task: '2' },
      { type: 'result', task: '1' },
      { type: 'result', task: '99' },
      { type: 'idle_notification' },
    )
    expect(waking(state)).toEqual([true, true, true, true, true, true, true, false, false, false])
    expect(waking(state, 'each')).toEqual([...Array(9).fill(true), false])
  })

  it('from outside is worth a turn, whatever it says that it is', () => {
    const state = mail()
    for (const unread of [{ type: 'idle_notification' }, { type: 'result', task: '1' }] as const) {
      const message = { id: 'x', from: 'ci', to: 'lead', content: 'red', timestamp: 1, ...unread }
      const external = { message, place: 1, external: true, taken: null, redelivered: false }
      expect(wakesLead(state, external, 'together')).toBe(true)
    }
  }) // T21

  it('holds unheard results until the transcript of the lead has them', () => {
    const state = mail({ type: 'result', task: '1' }, { type: 'idle_notification' })
    expect(hasUnheardResults(state, () => false)).toBe(true)
    expect(hasUnheardResults(state, (id) => id === 'm0')).toBe(false)
    expect(hasUnheardResults(mail({ type: 'idle_notification' }), () => false)).toBe(false)
  })

  it('from outside is no unheard result: it causes a turn of its own', () => {
    const world = teamHarness()
    world.ok({ type: 'supervise', runtime: 'here' })
    world.ok({ type: 'member.spawn', name: 'lead', role: 'lead', runtime: 'here' })
    const message = { id: 'x', type: 'result', from: 'ci', to: 'lead', content: 'red', timestamp: 1 } as const
    world.report([{ type: 'external.received', archive: 'a', offset: 0, end: 9, message }])
    expect(unreadOf(world.state, 'lead')).toHaveLength(1)
    expect(hasUnheardResults(world.state, () => false)).toBe(false)
  })

  it('that waits does not keep the run from ending the turn of a silent teammate', () => {
    const world = teamHarness()
    world.join('ada')
    const result = { id: 'm', type: 'result', from: 'ada', to: 'lead', content: 'well', timestamp: 1 } as const
    world.report([{ type: 'message.sent', message: { ...result, task: '1' } }], 'ada')
    expect(isFinished(world.state)).toBe(true)
    world.report([{ type: 'message.sent', message: { ...result, id: 'n' } }], 'ada')
    expect(isFinished(world.state)).toBe(false)
  })

  it('says so when a script completes a task with wakeLead', () => {
    const world = teamHarness()
    world.join('ci')
    const plain = world.add('build')
    const decisive = world.add({ subject: 'deploy', wakeLead: true })
    for (const id of [plain, decisive]) {
      world.ok({ type: 'task.claim', id }, 'ci')
      world.ok({ type: 'task.complete', id, result: 'green' }, 'ci')
    }
    expect(world.inbox('lead')).toMatchObject([{ type: 'result', from: 'ci', task: decisive }])
    expect(waking(world.state)).toEqual([true])
    expect(world.task(decisive).wakeLead).toBe(true)
    expect(world.task(plain)).not.toHaveProperty('wakeLead')
  })
})

describe('a ready task', () => {
  const stranded = (state: TeamState, ids?: string[]) => strandedTasks(state, ids).map(({ subject }) => subject)

  it('is stranded if no present member has its role, or is its assignee with that role', () => {
    const world = teamHarness()
    // Roles are compared without case, whichever side was written with it.
    world.join('ada', 'Dev')
    world.join('bob', 'tester')
    world.add('open')
    world.add({ subject: 'for devs', role: ' DEV ' })
    world.add({ subject: 'for painters', role: 'painter' })
    world.add({ subject: 'for bob', assignee: 'bob' })
    world.add({ subject: 'for bob as a dev', assignee: 'bob', role: 'dev' })
    world.add({ subject: 'later', role: 'painter', blockedBy: ['1'] })
    expect(stranded(world.state)).toEqual(['for painters', 'for bob as a dev'])
    expect(stranded(world.state, ['1', '3', '6', '77'])).toEqual(['for painters'])
    world.ok({ type: 'member.stop', name: 'ada' })
    expect(stranded(world.state)).toContain('for devs')
    expect(stranded(world.state)).not.toContain('open')
    world.ok({ type: 'member.stop', name: 'bob' })
    expect(stranded(world.state)).toContain('open')
  })

  it('is not stranded while the files it needs are claimed, or its taker works', () => {
    const world = teamHarness()
    world.join('ada')
    world.add({ subject: 'first', files: ['src/'] })
    world.add({ subject: 'second', files: ['src/a.ts'] })
    world.ok({ type: 'task.claim', id: '1' }, 'ada')
    expect(stranded(world.state)).toEqual([])
  })

  it('is the own work of a lead that is alone, or that made it for itself', () => {
    const world = teamHarness()
    world.ok({ type: 'supervise', runtime: 'here' })
    world.ok({ type: 'member.spawn', name: 'lead', role: 'lead', runtime: 'here' })
    world.add('anything', 'lead')
    world.add({ subject: 'needs a tester', role: 'tester' }, 'lead')
    expect(stranded(world.state)).toEqual(['needs a tester'])
    world.join('ada')
    world.add({ subject: 'mine', assignee: 'lead' }, 'lead')
    world.add({ subject: 'mine too', role: 'lead' }, 'lead')
    world.add({ subject: 'the user wants it', assignee: 'lead' }, 'user')
    expect(stranded(world.state)).toEqual(['needs a tester', 'the user wants it'])
  })

  it('is stranded when the only member that could take it is about to stop', () => {
    const world = teamHarness()
    world.ok({ type: 'member.spawn', name: 'ada', role: 'dev', runtime: 'here' })
    world.add('open')
    const { request } = world.ok({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' }, 'lead')
    expect(stranded(world.state)).toEqual([])
    world.ok({ type: 'request.answer', id: request!.id, approve: true }, { name: 'ada', generation: 1 })
    expect(world.state.members.get('ada')?.status).toBe('stopping')
    expect(stranded(world.state)).toEqual(['open'])
  })

  it('is stranded when the only member that could take it is lost', () => {
    const world = teamHarness()
    world.ok({ type: 'supervise', runtime: 'here' })
    world.ok({ type: 'member.spawn', name: 'ada', role: 'dev', runtime: 'here' }, 'lead')
    world.add('open')
    expect(stranded(world.state)).toEqual([])
    world.ok({ type: 'member.lose', name: 'ada', reason: 'gone' }, 'lead')
    expect(stranded(world.state)).toEqual(['open'])
  })
})
