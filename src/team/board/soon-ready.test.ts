import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { memberNamed } from '../state.ts'
import { isHandOverNear } from './hand-over.ts'

/** `ada` is without a task; `bob` and `eve` hold the first two tasks. */
function board(...waiting: { blockedBy?: string[]; files?: string[]; role?: string; assignee?: string }[]) {
  const world = teamHarness()
  for (const name of ['ada', 'bob', 'eve']) world.ok({ type: 'member.spawn', name, role: 'dev', runtime: 'here' })
  world.add({ subject: 'of bob', files: ['src/'] })
  world.add('of eve')
  world.ok({ type: 'task.claim', id: '1' }, { name: 'bob', generation: 1 })
  world.ok({ type: 'task.claim', id: '2' }, { name: 'eve', generation: 1 })
  for (const [i, more] of waiting.entries()) world.add({ subject: `waiting ${i + 1}`, ...more }, 'lead')
  const isNear = () => isHandOverNear(world.state, memberNamed(world.state, 'ada')!)
  return { world, isNear }
}

describe('a task for an agent without one', () => {
  it('is near when more become ready than those who work on what they wait for', () => {
    expect(board({ blockedBy: ['1'] }).isNear()).toBe(false)
    expect(board({ blockedBy: ['1'] }, { blockedBy: ['2'] }).isNear()).toBe(false)
    expect(board({ blockedBy: ['1'] }, { blockedBy: ['1'] }).isNear()).toBe(true)
    expect(board({ blockedBy: ['1', '2'] }, { blockedBy: ['2'] }).isNear()).toBe(false)
    expect(board({ blockedBy: ['1', '2'] }, { blockedBy: ['2'] }, { blockedBy: ['1'] }).isNear()).toBe(true)
  })

  it('is not near while it waits for a task that no agent works on', () => {
    const { world, isNear } = board({}, { blockedBy: ['1', '3'] }, { blockedBy: ['1', '3'] })
    expect(isNear()).toBe(false)
    world.ok({ type: 'member.join', name: 'script', role: 'dev' })
    world.ok({ type: 'task.claim', id: '3' }, { name: 'script' })
    expect(isNear()).toBe(false)
    world.ok({ type: 'task.release', id: '3' }, { name: 'script' })
    world.ok({ type: 'member.spawn', name: 'ida', role: 'dev', runtime: 'here' })
    world.ok({ type: 'task.claim', id: '3' }, { name: 'ida', generation: 1 })
    expect(isNear()).toBe(false)
    world.add({ subject: 'a third', blockedBy: ['1', '3'] })
    expect(isNear()).toBe(true)
  })

  it('counts only what the agent may take', () => {
    const blockedBy = ['1']
    expect(board({ blockedBy }, { blockedBy, role: 'qa' }).isNear()).toBe(false)
    expect(board({ blockedBy }, { blockedBy, assignee: 'bob' }).isNear()).toBe(false)
    expect(board({ blockedBy, assignee: 'ada' }, { blockedBy, role: 'dev' }).isNear()).toBe(true)
  })

  it('counts ready tasks whose files are in use', () => {
    expect(board({ files: ['src/a.ts'] }).isNear()).toBe(false)
    expect(board({ files: ['src/a.ts'] }, { files: ['src/b.ts'] }).isNear()).toBe(true)
  })

  it('counts what waits for a whole plan only while agents work on all that is left of it', () => {
    const { world, isNear } = board()
    const plan = (id: string) => ({ subject: id, id })
    world.ok({ type: 'task.add', tasks: [plan('01-01/T1'), plan('01-01/T2')] })
    for (let i = 0; i < 3; i++) world.add({ subject: 'behind the plan', blockedBy: ['01-01'] })
    const claim = (name: string, id: string) => {
      world.ok({ type: 'member.spawn', name, role: 'dev', runtime: 'here' })
      world.ok({ type: 'task.claim', id }, { name, generation: 1 })
    }
    claim('ida', '01-01/T1')
    expect(isNear()).toBe(false)
    claim('joe', '01-01/T2')
    expect(isNear()).toBe(true)
  })

  it('is not near for an agent that is asked to stop', () => {
    const { world, isNear } = board({ blockedBy: ['1'] }, { blockedBy: ['1'] })
    world.ok({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' }, { name: 'lead' })
    expect(isNear()).toBe(false)
  })
})
