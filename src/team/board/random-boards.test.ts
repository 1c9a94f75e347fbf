import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { brokenInvariants } from '../../testing/invariants.ts'
import { apply } from '../apply.ts'
import type { Command } from '../command.ts'
import { assume, decide } from '../decide.ts'
import { dumpState, stateFrom } from '../fold/snapshot.ts'
import { isRefusal } from '../refusal.ts'
import { emptyState, type TeamState } from '../state.ts'
import type { TaskDraft } from '../task.ts'
import { claims, readyTasks } from './board.ts'
import { MAX_REMAINING_PATH } from './remaining-path.ts'

const PLANS = ['01-01', '01-02', '02-01']
const MEMBERS = ['ada', 'bob', 'eve']

/** A command with who gives it, for the board as it is then. Undefined: there is nothing to give it for. */
type Step = (state: TeamState) => readonly [Command, string] | undefined

const always = (command: Command, by = 'user') => [command, by] as const
const plan = fc.constantFrom(...PLANS)
const task = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 12 }).map(String) },
  { weight: 1, arbitrary: fc.tuple(plan, fc.constantFrom('T1', 'T2')).map((id) => id.join('/')) },
)
const dependencies = fc.array(fc.oneof(task, plan), { minLength: 1, maxLength: 2 })
const estimate = fc.constantFrom(undefined, 1, 2, 3, 7, 600, MAX_REMAINING_PATH)
const draft = fc.record({
  subject: fc.constant('task'),
  blockedBy: fc.oneof(fc.constant<string[]>([]), dependencies),
  estimate,
  priority: fc.constantFrom(5, 5, 5, 9),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.array(draft, { minLength: 1, maxLength: 2 }).map((tasks) => () => always({ type: 'task.add', tasks })),
  fc.tuple(plan, draft).map(
    ([id, one]) =>
      () =>
        always({ type: 'task.add', tasks: [{ ...one, id: `${id}/T2` }] }),
  ),
  fc.tuple(task, estimate).map(
    ([id, estimate]) =>
      () =>
        always({ type: 'task.update', id, estimate }),
  ),
  fc.tuple(task, dependencies).map(
    ([id, addBlockedBy]) =>
      () =>
        always({ type: 'task.update', id, addBlockedBy }),
  ),
  fc.tuple(task, dependencies).map(
    ([id, removeBlockedBy]) =>
      () =>
        always({ type: 'task.update', id, removeBlockedBy }),
  ),
  fc.constantFrom(...MEMBERS).map((name) => () => always({ type: 'task.claim' }, name)),
  fc.tuple(fc.nat(), fc.constantFrom('complete', 'complete', 'fail', 'release')).map(endOf),
  fc.nat().map((which) => (state: TeamState) => {
    const ended = [...state.tasks.values()].filter(({ status }) => status === 'completed' || status === 'failed')
    const found = ended[which % ended.length]
    return found && always({ type: 'task.update', id: found.id, status: 'pending' })
  }),
  task.map((id) => () => always({ type: 'task.update', id, status: 'deleted', detach: true })),
)

function endOf([which, end]: [number, string]): Step {
  return (state) => {
    const live = claims(state)
    const found = live[which % live.length]
    return found && always({ type: `task.${end}`, id: found.id, reason: 'too hard' } as Command, found.owner)
  }
}

const one = (of: number) => fc.nat(of - 1).map((number) => number === 0)
const steps = fc.array(
  fc.record({ step, isTakenBack: one(4), isOrdered: fc.boolean(), isCompared: one(5), isReopened: one(20) }),
  { minLength: 40, maxLength: 60 },
)

/** A board to which commands are written as to a journal, and that is looked at only when a test does so. */
function openBoard() {
  let state = emptyState()
  let records = 0
  const board = {
    get state() {
      return state
    },
    /** `isOrdered`: the order of claims is asked for in the trial. */
    run([command, name]: readonly [Command, string], isTakenBack = false, isOrdered = false): void {
      const id = `c${++records}`
      const about = {
        id,
        by: { name },
        now: records,
        dead: new Set<string>(),
        unknown: new Set<string>(),
        self: 'here',
      }
      const events = state.trial.run(() => {
        const decision = decide(state, command, about)
        if (isRefusal(decision)) return []
        assume(state, decision.events, about)
        if (isOrdered) readyTasks(state)
        return decision.events
      })
      if (!isTakenBack && events.length > 0)
        apply(state, records, { id, at: records, by: { name }, events: JSON.parse(JSON.stringify(events)) })
    },
    /** As the next process does, from a snapshot. */
    reopen(): void {
      state = stateFrom(JSON.parse(JSON.stringify(dumpState(state))))
    },
  }
  board.run(always({ type: 'team.create', team: 'web' }))
  for (const name of MEMBERS) board.run(always({ type: 'member.join', name, role: 'dev' }))
  board.run(always({ type: 'task.add', tasks: Array.from({ length: 6 }, () => ({ subject: 'task' })) }))
  for (const id of PLANS) board.run(always({ type: 'plan.load', plan: planOfOne(id) }))
  return board
}

function planOfOne(id: string) {
  const tasks: TaskDraft[] = [{ id: `${id}/T1`, subject: 'task' }]
  return { id, title: id, objective: '', wave: 1, folder: 'phases/01', hash: 'h', tasks }
}

describe('a board after any commands', () => {
  it('has the remaining paths and the order of claims that are worked out from nothing', () => {
    let longest = 0
    fc.assert(
      fc.property(steps, (steps) => {
        const board = openBoard()
        for (const { step, isTakenBack, isOrdered, isCompared, isReopened } of steps) {
          const command = step(board.state)
          if (command) board.run(command, isTakenBack, isOrdered)
          if (isReopened) board.reopen()
          if (isCompared) expect(brokenInvariants(board.state)).toEqual([])
          longest = Math.max(longest, ...board.state.index.paths.values())
        }
        expect(brokenInvariants(board.state)).toEqual([])
      }),
      { seed: 17, numRuns: 30 },
    )
    expect(longest).toBe(MAX_REMAINING_PATH)
  })
})
