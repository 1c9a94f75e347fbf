import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { apply } from '../apply.ts'
import { readyTasks } from '../board/board.ts'
import { emptyState } from '../state.ts'
import { restorations } from './restoration.ts'
import { dumpState } from './snapshot.ts'

describe('restorations', () => {
  it('restore a state from pieces of any size, without positions of the old journal', () => {
    const world = teamHarness()
    for (const name of ['ada', 'bob']) world.join(name)
    for (let i = 0; i < 20; i++) world.add({ subject: `t${i}`, blockedBy: i > 2 ? [String(i - 1)] : [] })
    world.ok({ type: 'task.claim', id: '1' }, 'ada')
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
    world.ok({ type: 'task.claim' }, 'bob')
    for (const to of ['ada', 'bob', 'lead']) world.send({ to, content: 'x'.repeat(100) })
    world.ok({ type: 'mail.take', member: 'ada', taker: 'here' })
    world.ok({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'stop' })
    for (const piece of [1, 500, 1_000_000]) {
      const state = emptyState()
      for (const [i, dump] of restorations(world.state, piece).entries()) {
        const event = { type: 'team.restored', state: dump, lost: [], from: 'journal.x.damaged' }
        apply(state, i + 1, JSON.parse(JSON.stringify({ id: `r${i}`, events: [event] })))
      }
      const { tasks, ...rest } = dumpState(world.state) as { tasks: object[] }
      expect(dumpState(state)).toEqual({ ...rest, tasks: tasks.map((task) => ({ ...task, seq: 0 })) })
      expect(readyTasks(state).map(({ id }) => id)).toEqual(readyTasks(world.state).map(({ id }) => id))
    }
    expect(restorations(world.state, 1).length).toBeGreaterThan(20)
  })
})
