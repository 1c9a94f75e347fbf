import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { taskView } from '../answers/view.ts'
import { apply, type TeamRecord } from '../apply.ts'
import { readyTasks } from '../board/board.ts'
import type { Json } from '../data/json.ts'
import { emptyState, type TeamState, unreadOf } from '../state.ts'
import { restorations } from './restoration.ts'
import { dumpState, stateFrom } from './snapshot.ts'

const journal: TeamRecord[] = readFileSync(new URL('../golden/v1.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))

const copy = (json: Json): Json => JSON.parse(JSON.stringify(json))

/** Everything a caller can read of a team, in order. */
const seen = (state: TeamState) => ({
  team: state.team.get(),
  supervisor: state.supervisor.get(),
  counters: state.counters.get(),
  members: [...state.members.values()].sort((a, b) => a.place - b.place),
  tasks: [...state.tasks.values()].map((task) => taskView(state, task)).sort((a, b) => a.id.localeCompare(b.id)),
  ready: readyTasks(state).map(({ id }) => id),
  requests: [...state.requests.values()].sort((a, b) => a.id.localeCompare(b.id)),
  mail: [...state.members.keys(), 'user'].sort().map((name) => unreadOf(state, name)),
  holding: [...state.index.holding.keys()].sort(),
})

describe('a snapshot', () => {
  it('restores the state with its ready order, and the fold continues from it', () => {
    fc.assert(
      fc.property(fc.nat(journal.length), (cut) => {
        const whole = emptyState()
        for (const [i, record] of journal.slice(0, cut).entries()) apply(whole, i, record)
        const restored = stateFrom(copy(dumpState(whole)))
        expect(seen(restored)).toEqual(seen(whole))
        for (const [i, record] of journal.slice(cut).entries()) {
          const effects = apply(whole, cut + i, record).effects
          expect(apply(restored, cut + i, record).effects).toEqual(effects)
        }
        expect(seen(restored)).toEqual(seen(whole))
      }),
      { numRuns: 60 },
    )
  }) // A47

  it('does not depend on trials that were undone', () => {
    const world = teamHarness()
    world.join('ada')
    world.add('one')
    world.send({ to: 'ada', content: 'x' })
    const shown = () => ({ ...seen(world.state), dump: (dumpState(world.state) as { mail: Json }).mail })
    const before = shown()
    world.state.trial.run(() => {
      for (const [i, record] of journal.slice(0, -3).entries()) apply(world.state, i, record)
    })
    expect(shown()).toEqual(before)
  })

  it('becomes the beginning of a repaired journal, in pieces that fit a line', () => {
    const whole = emptyState()
    for (const [i, record] of journal.slice(0, -3).entries()) apply(whole, i, record)
    for (const size of [1, 500, 10_000_000]) {
      const again = emptyState()
      const events = restorations(whole, size).map((state) => ({ type: 'team.restored', state, lost: [], from: 'x' }))
      for (const event of events) apply(again, 1, { id: 'r', events: copy([event as unknown as Json]) })
      const { tasks, ...rest } = seen(whole)
      // Where they changed in the old journal means nothing in the new one.
      expect(seen(again)).toEqual({ ...rest, tasks: tasks.map((task) => ({ ...task, seq: 0 })) })
    }
  })

  it('leaves a repaired journal empty, not half full, when it is invalid', () => {
    const state = emptyState()
    const dump = copy(dumpState(teamHarness().state)) as { [key: string]: Json }
    for (const broken of [null, 7, {}, { ...dump, tasks: [{ id: 'x' }] }, { ...dump, members: 'invalid' }]) {
      apply(state, 1, { id: 'r', events: [{ type: 'team.restored', state: broken, lost: [], from: 'x' }] })
      expect(state.team.get()).toBeUndefined()
    }
  })

  it('keeps bounced mail, whatever id it was sent under', () => {
    const world = teamHarness()
    world.join('ada')
    world.join('bob')
    world.send({ to: 'bob', content: 'long id' }, 'ada', 'i'.repeat(250))
    world.ok({ type: 'member.stop', name: 'bob' })
    const again = emptyState()
    apply(again, 1, {
      id: 'r',
      events: copy([{ type: 'team.restored', state: dumpState(world.state), lost: [], from: 'x' }]) as Json,
    })
    expect(unreadOf(again, 'ada')).toHaveLength(1)
  }) // F11
})
