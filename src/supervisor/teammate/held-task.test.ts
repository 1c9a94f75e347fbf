import { describe, expect, it } from 'vitest'
import { createNotices } from '../../agent/input/notices.ts'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { createHeldTask, MAX_REMINDERS } from './held-task.ts'

/** Ada on a board of two tasks. `notice` is the kind of notice with which its next turn begins. */
function ada({ isResumed = false, requirePlan = false } = {}) {
  const world = teamHarness()
  const by = { name: 'ada', generation: 1 }
  const profile = { agentType: null, model: null, requirePlan }
  world.ok({ type: 'member.spawn', name: 'ada', role: 'dev', runtime: 'here', profile })
  for (const subject of ['dig', 'wall']) world.add(subject)
  const held = createHeldTask('ada', isResumed)
  const notices = createNotices()
  const asks = { toolCallId: 'c1', toolName: 'SendMessage', input: {} }
  return {
    world,
    held,
    by,
    claim: (id: string) => world.ok({ type: 'task.claim', id }, by),
    notice(isCutOff = false): string | undefined {
      held.tell({ inbox: { notices }, hasLostTurns: false }, world.state, isCutOff)
      const [text] = notices.take(() => true).map(({ text }) => text)
      if (text?.startsWith('Your process ended')) return 'resumed'
      return /<task id="\d+">/.test(text ?? '') ? 'task' : text && 'reminder'
    },
    ask: () =>
      held.onEvent({ type: 'tool_finished', call: { type: 'tool-call', ...asks }, result: { text: '' } }, world.state),
    receive: () => held.onEvent({ type: 'input_received', turn: { role: 'user', content: [] }, mail: [] }, world.state),
  }
}

describe('the task that a teammate holds', () => {
  it('is announced once, and again when it gets the same task a second time', () => {
    const { world, by, claim, notice } = ada()
    claim('1')
    expect([notice(), notice()]).toEqual(['task', undefined])
    world.ok({ type: 'task.release', id: '1' }, by)
    claim('1')
    expect(notice()).toBe('task')
  })

  it('has its own reminders and its own questions', () => {
    const { world, by, held, claim, notice, ask } = ada()
    claim('1')
    notice()
    for (let i = 0; i < MAX_REMINDERS; i++) expect([held.remind(), notice()]).toEqual([true, 'reminder'])
    expect(held.remind()).toBe(false)
    ask()
    expect(held.hasAsked).toBe(true)
    world.ok({ type: 'task.complete', id: '1' }, by)
    claim('2')
    expect([notice(), held.hasAsked]).toEqual(['task', false])
    expect([held.remind(), notice()]).toEqual([true, 'reminder'])
  })

  it('is not mentioned while its plan waits for an answer', () => {
    const { world, by, held, claim, notice } = ada({ requirePlan: true })
    claim('1')
    expect(notice()).toBe('task')
    world.ok({ type: 'request.open', kind: 'plan_approval', to: 'lead', content: 'I dig.' }, by)
    expect([held.remind(), notice()]).toEqual([true, undefined])
  })

  it('is named after its process died until its transcript has the notice, then no more', () => {
    const { claim, notice, receive } = ada({ isResumed: true })
    claim('1')
    expect([notice(), notice()]).toEqual(['resumed', 'resumed'])
    receive()
    expect(notice()).toBeUndefined()
  })

  it('is no part of what a teammate without one reads after its process died in a turn', () => {
    expect(ada({ isResumed: true }).notice(true)).toBe('resumed')
    expect(ada({ isResumed: true }).notice(false)).toBeUndefined()
  })
})
