import { describe, expect, it, vi } from 'vitest'
import { situationText } from '../../prompts/situation.ts'
import { taskView } from '../answers/view.ts'
import { apply } from '../apply.ts'
import { allTasks, blockedTasks, readyTasks } from '../board/board.ts'
import { MAX_REMAINING_PATH, remainingPath } from '../board/remaining-path.ts'
import { decide } from '../decide.ts'
import type { TeamEvent } from '../event.ts'
import { claimableTasks } from '../progress/claimable-tasks.ts'
import { isRefusal } from '../refusal.ts'
import { refusalText } from '../refusal-text.ts'
import { overdue } from '../requests/overdue.ts'
import { emptyState, type TeamState } from '../state.ts'
import { createInvariants } from './invariants.ts'
import { restorations } from './restoration.ts'
import { dumpState, stateFrom } from './snapshot.ts'

const none = new Set<string>()
type Command = Parameters<typeof decide>[1]

/** Decides and folds as the runtime does, without looking at the whole board after every step. */
function openBoard() {
  const state = emptyState()
  let records = 0
  const run = (command: Command, name = 'user'): readonly TeamEvent[] => {
    const id = `c${++records}`
    const about = { id, by: { name }, now: 1, dead: none, unknown: none, self: 'here' }
    const decided = state.trial.run(() => {
      const due = overdue(state, about)
      const decision = decide(state, command, about)
      if (isRefusal(decision)) throw new Error(refusalText(decision))
      return [...due, ...decision.events]
    })
    apply(state, records, { id, at: 1, by: { name }, events: JSON.parse(JSON.stringify(decided)) })
    return decided
  }
  run({ type: 'team.create', team: 'web' })
  run({ type: 'member.join', name: 'ada', role: 'dev' })
  return { state, run }
}

function chain(length: number) {
  const board = openBoard()
  for (let from = 1; from <= length; from += 5000) {
    const tasks = Array.from({ length: Math.min(5000, length - from + 1) }, (_, i) => ({
      subject: `step ${from + i}`,
      blockedBy: from + i === 1 ? [] : [String(from + i - 1)],
    }))
    board.run({ type: 'task.add', tasks })
  }
  return board
}

const ids = (state: TeamState) => readyTasks(state).map(({ id }) => id)

describe('a chain of tasks that each depend on the one before', () => {
  it.for([3000, 50_000])(
    'is decided, folded, kept in a snapshot and shown with %i tasks',
    { timeout: 60_000 },
    (length) => {
      const { state, run } = chain(length)
      expect(state.tasks.size).toBe(length)
      for (const id of ['1', '2', '3']) {
        expect(ids(state)).toEqual([id])
        expect(remainingPath(state, id)).toBe(MAX_REMAINING_PATH)
        run({ type: 'task.claim' }, 'ada')
        expect(situationText(state, 'ada', 'your team')).toContain(`task: ${id} `)
        run({ type: 'task.complete', id }, 'ada')
      }
      expect(remainingPath(state, String(length - 9))).toBe(10)
      expect(remainingPath(state, '1')).toBe(0)
      expect(() => run({ type: 'task.update', id: '4', addBlockedBy: [String(length)] })).toThrow(
        /close a cycle: 4 -> .*more.* -> 4 \(each/,
      )
      const kept = stateFrom(JSON.parse(JSON.stringify(dumpState(state))))
      expect(remainingPath(kept, '4')).toBe(MAX_REMAINING_PATH)
      expect(ids(kept)).toEqual(['4'])
      expect(createInvariants().atEnd(state)).toEqual([])
      expect(
        allTasks(state)
          .map((task) => taskView(state, task).blocks.length)
          .filter((count) => count === 0),
      ).toEqual([0])
      expect(situationText(state, 'lead', 'your team').length).toBeLessThan(20_000)
    },
  ) // T30

  it('is restored by a repaired journal with 3000 tasks', () => {
    expect(restorations(chain(3000).state).length).toBeGreaterThan(0)
  }) // T30

  it('is measured when it is added, and not again by a claim, a completion or a task apart from it', () => {
    const { state, run } = chain(3000)
    const lengths = vi.spyOn(state.index.paths, 'get')
    for (const id of ['1', '2', '3']) {
      run({ type: 'task.claim' }, 'ada')
      run({ type: 'task.complete', id }, 'ada')
    }
    run({ type: 'task.add', tasks: [{ subject: 'apart' }] })
    expect(remainingPath(state, '4')).toBe(MAX_REMAINING_PATH)
    expect(lengths.mock.calls.length).toBeLessThan(200)
  }) // T30

  it('is measured while it is added one by one, so that the first claim measures a small part of it', () => {
    const { state, run } = openBoard()
    const length = 5000
    const lengths = vi.spyOn(state.index.paths, 'set')
    for (let id = 1; id <= length; id++)
      run({ type: 'task.add', tasks: [{ subject: 'step', blockedBy: id === 1 ? [] : [String(id - 1)] }] })
    expect(lengths.mock.calls.length).toBeLessThanOrEqual(2 * length)
    lengths.mockClear()
    run({ type: 'task.claim' }, 'ada')
    expect(lengths.mock.calls.length).toBeLessThanOrEqual(2 * MAX_REMAINING_PATH)
    expect(remainingPath(state, String(length - 9))).toBe(10)
  })

  it('is measured again only as far as lengths grow: up to the longest path that counts', () => {
    const { state, run } = chain(3000)
    remainingPath(state, '1')
    const lengths = vi.spyOn(state.index.paths, 'set')
    run({ type: 'task.add', tasks: [{ subject: 'last', blockedBy: ['3000'] }] })
    expect(remainingPath(state, '2999')).toBe(3)
    expect(blockedTasks(state, '3000')).toEqual(['3001'])
    expect(lengths.mock.calls.length).toBeLessThanOrEqual(MAX_REMAINING_PATH)
    run({ type: 'task.add', tasks: [{ subject: 'aside', blockedBy: ['2000'] }] })
    const lookups = vi.spyOn(state.index.paths, 'get')
    expect(remainingPath(state, '2000')).toBe(MAX_REMAINING_PATH)
    expect(lookups.mock.calls.length).toBeLessThan(20)
  }) // T30

  it('is measured with each task once when all come together, in whatever order they are written', () => {
    const { state, run } = openBoard()
    const length = 3000
    // The first waits for the second, which waits for the third.
    const tasks = Array.from({ length }, (_, i) => ({
      subject: `step ${i + 1}`,
      blockedBy: i + 1 < length ? [`+${i + 2}`] : [],
    }))
    const lengths = vi.spyOn(state.index.paths, 'set')
    run({ type: 'task.add', tasks })
    expect(ids(state)).toEqual([String(length)])
    expect([1, 10, 999, 1500].map((id) => remainingPath(state, String(id)))).toEqual([1, 10, 999, MAX_REMAINING_PATH])
    expect(lengths.mock.calls.length).toBe(length)
  }) // T30
})

describe('many tasks that wait for nothing', () => {
  it('have their length from the start: the first claim measures none of them', () => {
    const { state, run } = openBoard()
    run({ type: 'task.add', tasks: Array.from({ length: 900 }, () => ({ subject: 'apart', estimate: 3 })) })
    const lengths = vi.spyOn(state.index.paths, 'get')
    run({ type: 'task.claim' }, 'ada')
    expect(lengths.mock.calls.length).toBeLessThan(20)
    expect(['1', '900'].map((id) => remainingPath(state, id))).toEqual([3, 3])
  })

  it('are ordered anew by tasks that wait for them', () => {
    const { state, run } = openBoard()
    run({ type: 'task.add', tasks: [{ subject: 'a' }, { subject: 'b' }, { subject: 'c', blockedBy: ['+2'] }] })
    expect(ids(state)).toEqual(['2', '1'])
  })
})

describe('a task that others wait for', () => {
  // Nothing may ask for the order before: that settles the paths.
  const board = () => {
    const { state, run } = openBoard()
    run({ type: 'task.add', tasks: [{ subject: 'a' }, { subject: 'b' }, { subject: 'c', blockedBy: ['2'] }] })
    return { state, run }
  }

  it('is claimed and handed over first, although only the claim asks for its path', () => {
    const claimed = board()
    claimed.run({ type: 'task.claim' }, 'ada')
    expect(claimed.state.tasks.get('2')?.status).toBe('in_progress')
    const { state, run } = board()
    run({ type: 'task.claim', id: '1' }, 'ada')
    run({ type: 'task.add', tasks: [{ subject: 'd' }, { subject: 'e', blockedBy: ['4'], estimate: 9 }] })
    run({ type: 'task.complete', id: '1', next: true }, 'ada')
    expect(state.tasks.get('4')?.status).toBe('in_progress')
  })

  it('is the first that a role could claim, although only this question asks for its path', () => {
    expect(claimableTasks(board().state, 'dev', 1).map(({ id }) => id)).toEqual(['2'])
  })
})

describe('layers of tasks that each depend on the layer before', () => {
  it('are added at a cost that grows with their number, although each layer makes all paths longer', () => {
    const { state, run } = openBoard()
    const [width, depth] = [100, 120]
    const lengths = vi.spyOn(state.index.paths, 'set')
    for (let layer = 0; layer < depth; layer++) {
      const above = (i: number) => (layer === 0 ? [] : [String((layer - 1) * width + i + 1)])
      run({ type: 'task.add', tasks: Array.from({ length: width }, (_, i) => ({ subject: 'x', blockedBy: above(i) })) })
    }
    expect(lengths.mock.calls.length).toBeLessThan(10 * width * depth)
    expect(remainingPath(state, '1')).toBe(depth)
  })
})

describe('many tasks that wait for one', () => {
  it('are added, reopened and deleted at a cost that does not grow with their number', () => {
    const { state, run } = openBoard()
    run({ type: 'task.add', tasks: [{ subject: 'first' }] })
    const add = (count: number) =>
      run({ type: 'task.add', tasks: Array.from({ length: count }, () => ({ subject: 'next', blockedBy: ['1'] })) })
    const lookups = (change: () => void): number => {
      remainingPath(state, '1')
      const lengths = vi.spyOn(state.index.paths, 'get')
      change()
      expect(remainingPath(state, '1')).toBe(2)
      const { length } = lengths.mock.calls
      lengths.mockRestore()
      return length
    }
    const changes = () => [
      lookups(() => add(1)),
      lookups(() => run({ type: 'task.update', id: '2', removeBlockedBy: ['1'] })),
      lookups(() => run({ type: 'task.update', id: '2', addBlockedBy: ['1'] })),
    ]
    add(10)
    const few = changes()
    add(5000)
    expect(changes()).toEqual(few)
    expect(blockedTasks(state, '1').length).toBe(5012)
    run({ type: 'task.claim' }, 'ada')
    run({ type: 'task.complete', id: '1' }, 'ada')
    expect(readyTasks(state).length).toBe(5012)
  })
})
