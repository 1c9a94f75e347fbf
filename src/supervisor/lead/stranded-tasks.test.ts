import { describe, expect, it } from 'vitest'
import type { Command } from '../../team/command.ts'
import type { TeamEvent } from '../../team/event.ts'
import { type TeamHarness, teamHarness } from '../../testing/harnesses/team-harness.ts'
import { createStrandedTasks } from './stranded-tasks.ts'

type Actor = Parameters<TeamHarness['ok']>[1]

/** A team with ada, a dev. Each step returns the ids of the tasks of which the lead is told right after it. */
function watched(name = 'web') {
  const world = teamHarness(name)
  const team = { team: { name, state: world.state }, isRecovering: false }
  const texts: string[] = []
  const first = name === 'web' ? [] : [{ team: { name: 'web', state: teamHarness().state }, isRecovering: false }]
  const stranded = createStrandedTasks({ teams: [...first, team], notify: (text) => texts.push(text) })
  world.join('ada')
  const check = () => {
    stranded.check()
    return [
      ...texts
        .splice(0)
        .join('\n')
        .matchAll(/^- #(\S+)/gm),
    ].map(([, id]) => id)
  }
  const decide = (command: Command, by?: Actor) => {
    const records = world.journal.length
    world.ok(command, by)
    for (const { events } of world.journal.slice(records))
      for (const event of events as TeamEvent[]) stranded.onEvent(name, event)
  }
  const step = (command: Command, by?: Actor) => {
    decide(command, by)
    return check()
  }
  return {
    team,
    texts,
    stranded,
    check,
    decide,
    step,
    add: (subject: string, more: object = {}) => step({ type: 'task.add', tasks: [{ subject, ...more }] }),
    update: (id: string, more: object) => step({ type: 'task.update', id, ...more }),
    complete(id: string) {
      step({ type: 'task.claim', id }, 'ada')
      return step({ type: 'task.complete', id }, 'ada')
    },
  }
}
const painter = { role: 'painter' }

describe('the lead is told of a task that no member can take', () => {
  it('when it is added or changed so, and again after a member could take it', () => {
    const { add, update } = watched()
    expect(add('paint', painter)).toEqual(['1'])
    expect(add('open')).toEqual([])
    expect(update('2', painter)).toEqual(['2'])
    expect(update('2', { role: 'dev' })).toEqual([])
    expect(update('2', painter)).toEqual(['2'])
  })

  it('when the tasks or the plan that it waits for are completed or deleted', () => {
    const { add, update, complete, step } = watched()
    add('first')
    expect(add('paint', { ...painter, blockedBy: ['1'] })).toEqual([])
    expect(complete('1')).toEqual(['2'])
    add('third')
    add('paint', { ...painter, blockedBy: ['3'] })
    expect(update('3', { status: 'deleted', detach: true })).toEqual(['4'])
    const plan = { title: 'Plan', objective: 'Objective', wave: 1, folder: 'phases/03', hash: 'h' }
    const load = (id: string, more: object = {}) =>
      step({ type: 'plan.load', plan: { ...plan, id, tasks: [{ id: `${id}/T1`, subject: 'do', ...more }] } })
    load('03-01')
    expect(load('03-02', { ...painter, blockedBy: ['03-01'] })).toEqual([])
    expect(complete('03-01/T1')).toEqual(['03-02/T1'])
  })

  it('when it is released or reopened, and who could take it is no longer there', () => {
    const { add, update, complete, step } = watched()
    add('one')
    step({ type: 'task.claim', id: '1' }, 'ada')
    step({ type: 'member.join', name: 'eve', role: 'tester' })
    expect(update('1', painter)).toEqual([])
    expect(step({ type: 'task.release', id: '1' }, 'ada')).toEqual(['1'])
    add('two', { role: 'dev' })
    complete('2')
    expect(step({ type: 'member.stop', name: 'ada' })).toEqual([])
    expect(update('2', { status: 'pending' })).toEqual(['2'])
  })

  it('when the last member that could take it stops or is lost', () => {
    const { add, step } = watched()
    step({ type: 'supervise', runtime: 'here' })
    add('for devs', { role: 'dev' })
    expect(step({ type: 'member.spawn', name: 'bob', role: 'dev', runtime: 'here' }, 'lead')).toEqual([])
    expect(step({ type: 'member.stop', name: 'ada' })).toEqual([])
    expect(step({ type: 'member.lose', name: 'bob', reason: 'gone' }, 'lead')).toEqual(['1'])
    expect(step({ type: 'member.join', name: 'cyd', role: 'dev' })).toEqual([])
    expect(step({ type: 'member.stop', name: 'cyd' })).toEqual(['1'])
  })

  it('again when a member that could take it came and went before the lead was idle', () => {
    const { add, decide, check } = watched()
    expect(add('paint', painter)).toEqual(['1'])
    decide({ type: 'member.join', name: 'kim', role: 'painter' })
    decide({ type: 'member.stop', name: 'kim' })
    expect(check()).toEqual(['1'])
    expect(check()).toEqual([])
  })

  it('only when it is decided what becomes of a teammate that ended', () => {
    const { team, add, check } = watched()
    team.isRecovering = true
    expect(add('paint', painter)).toEqual([])
    team.isRecovering = false
    expect(check()).toEqual(['1'])
  })

  it('with the name of the team, unless it is its own', () => {
    for (const [name, where] of [
      ['web', 'tasks:'],
      ['api', 'tasks of the team api:'],
    ] as const) {
      const { decide, stranded, texts } = watched(name)
      decide({ type: 'task.add', tasks: [{ subject: 'paint', ...painter }] })
      stranded.check()
      expect(texts.join()).toContain(`No member can take these ready ${where}`)
    }
  })
})
