import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { teamHarness } from '../testing/harnesses/team-harness.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { apply, type TeamRecord } from './apply.ts'
import { allTasks } from './board/board.ts'
import type { Json } from './data/json.ts'
import { decisionTypes, factTypes, readEvent } from './event.ts'
import { createInvariants } from './fold/invariants.ts'
import { dumpState } from './fold/snapshot.ts'
import { emptyState, type TeamState } from './state.ts'
import { Task } from './task.ts'

const golden = readFileSync(new URL('./golden/v1.jsonl', import.meta.url), 'utf8')
const journal: TeamRecord[] = golden
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))
const events = journal.flatMap((record) => (record.events ?? []) as { type: string; [key: string]: Json }[])

const fold = (records: readonly TeamRecord[]): TeamState => {
  const state = emptyState()
  for (const [i, record] of records.entries()) apply(state, (i + 1) * 10, record)
  return state
}

/** Nothing in the state may be of another shape than it says, or a later command fails on it. */
const misshapen = (state: TeamState) => allTasks(state).filter((task) => !Task.safeParse(task).success)

describe('the fold', () => {
  it('gives the same state for the first released format', () => {
    const expected = JSON.parse(readFileSync(new URL('./golden/v1.state.json', import.meta.url), 'utf8'))
    expect(JSON.parse(JSON.stringify(dumpState(fold(journal))))).toEqual(expected)
  }) // A47

  it('covers every event type in that journal, each either a decision or a fact', () => {
    expect(factTypes.filter((type) => (decisionTypes as string[]).includes(type))).toEqual([])
    const folded = new Set(events.filter((event) => typeof readEvent(event) === 'object').map(({ type }) => type))
    expect([...decisionTypes, ...factTypes].filter((type) => !folded.has(type))).toEqual([])
    expect([...factTypes].sort()).toEqual([
      'agent.health',
      'breaker.changed',
      'deviation.noted',
      'external.received',
      'external.rejected',
      'member.activity',
      'message.delivered',
      'message.sent',
      'task.baseline',
      'usage',
    ])
  })

  it('skips events of a newer version and counts events that cannot be read', () => {
    const world = teamHarness()
    const before = JSON.stringify(dumpState(world.state))
    const applied = world.fold({
      events: [
        { type: 'task.celebrated', id: '1' },
        { type: 'task.claimed' },
        { type: 7 },
        'text',
        null,
        { type: '__proto__' },
        { type: 'constructor' },
      ] as Json,
    })
    expect(applied).toMatchObject({ events: [], effects: [], broken: 4 })
    expect(world.fold({}).broken).toBe(1)
    expect(world.fold({ events: {} }).broken).toBe(1)
    expect(JSON.stringify(dumpState(world.state))).toBe(before)
  })

  it('keeps only the fields that the type of an event has', () => {
    const world = teamHarness()
    world.add('one')
    world.fold({
      events: [{ type: 'task.updated', id: '1', subject: 'uno', status: 'in_progress', owner: null, seq: 'x' }],
    })
    expect(world.task('1')).toMatchObject({ subject: 'uno', status: 'pending', owner: null })
    world.fold({
      events: [
        {
          type: 'request.opened',
          id: 'r9e99',
          kind: 'budget',
          from: 'a',
          fromGeneration: 0,
          to: 'b',
          toGeneration: 0,
          content: '',
          assignment: null,
          deadline: null,
        },
      ],
    })
    expect(world.state.counters.get().request).toBe(1)
  }) // F20

  it('never fails, whatever JSON stands in a record', () => {
    const record = fc.record({ id: fc.string(), at: fc.jsonValue(), by: fc.jsonValue(), events: fc.jsonValue() })
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), (records) => {
        fold(records as TeamRecord[])
      }),
      { numRuns: 300 },
    )
  })

  it('never fails and keeps its shapes when events are changed, doubled, dropped and shuffled', () => {
    const strange = fc.oneof(
      fc.constantFrom('1', '2', 'ada', 'LEAD', 'r1', '03-01/T1', '', '__proto__', 'in_progress', 'a1'),
      fc.integer({ min: -2, max: 3 }),
      fc.constantFrom(null, true, 1e300, -0.5),
      fc.constant([] as Json[]),
      fc.constant(['1', '99'] as Json[]),
      fc.constant({} as Json),
    )
    const pick = fc.nat(events.length - 1).map((i) => events[i]!)
    const changed = fc.tuple(pick, fc.nat(), strange).map(([event, which, value]) => {
      const keys = [...Object.keys(event).filter((key) => key !== 'type'), 'status', 'owner', 'extra']
      return { ...event, [keys[which % keys.length]!]: value }
    })
    const record = fc.record({
      id: fc.constantFrom('x', 'y', 'z'),
      at: fc.nat(),
      by: fc.constantFrom<Json>({ name: 'ada' }, { name: 'bot', generation: 1 }, { name: 'bot', generation: 9 }, null),
      events: fc.array(fc.oneof(pick, changed), { maxLength: 6 }),
    })
    fc.assert(
      fc.property(fc.nat(journal.length), fc.array(record, { maxLength: 12 }), (cut, records) => {
        const state = fold([...journal.slice(0, cut), ...(records as unknown as TeamRecord[])])
        expect(misshapen(state)).toEqual([])
        expect(() => brokenInvariants(state)).not.toThrow()
        expect(() => createInvariants().atEnd(state)).not.toThrow()
        dumpState(state)
      }),
      { numRuns: 300 },
    )
  })
})
