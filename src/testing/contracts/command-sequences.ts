import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import { taskView } from '../../team/answers/view.ts'
import { allTasks } from '../../team/board/board.ts'
import type { Command } from '../../team/command.ts'
import { isRefusal } from '../../team/refusal.ts'
import { unreadOf } from '../../team/state.ts'
import { brokenInvariants } from '../invariants.ts'
import { type ManualClock, manualClock } from '../manual-clock.ts'
import type { OpenStore } from './read-all.ts'
import { carryOut, emptyModel, type Model, type Step } from './team-model.ts'

interface Real {
  readonly teams: readonly [TeamHandle, TeamHandle]
  readonly clock: ManualClock
}

export function commandSequences(name: string, makePlace: () => Promise<OpenStore>, runs = 200): void {
  describe(`any sequence of commands on ${name}`, () => {
    it('gives the same results as a plain model of a team', async () => {
      const numRuns = process.env.DESKMATES_SOAK ? runs * 50 : runs
      await fc.assert(
        fc.asyncProperty(fc.commands([acts], { maxCommands: 40, size: 'max' }), async (commands) => {
          const open = await makePlace()
          const clock = manualClock()
          await using first = await open()
          await using second = await open()
          await using a = await openTeam(first, 'web', { clock })
          await using b = await openTeam(second, 'web', { clock })
          await a.run({ type: 'team.create', team: 'web' })
          for (const member of ['ada', 'bob']) await a.run({ type: 'member.join', name: member, role: 'dev' })
          const model = emptyModel(clock.now())
          for (const member of ['ada', 'bob']) carryOut(model, 'user', { do: 'join', name: member, role: 'dev' })
          const real: Real = { teams: [a, b], clock }
          await fc.asyncModelRun(() => ({ model, real }), commands)
        }),
        { numRuns },
      )
    }) // A78, B59, B60, B61, B62, F20, F21
  })
}

const actor = fc.constantFrom('user', 'lead', 'ada', 'bob', 'eve')
const id = fc.integer({ min: 1, max: 8 })
const lease = fc.constantFrom(null, null, 10, 30)
const maybe = <T>(value: T) => fc.constantFrom(null, null, null, value)
const files = fc.subarray(['src/api', 'src/api/users.ts', 'src/apis', 'src/web', 'docs'], { maxLength: 2 })
const few = fc.array(id, { maxLength: 2 })

const steps: fc.Arbitrary<Step> = fc.oneof(
  step(1, 'wait', { seconds: fc.constantFrom(1, 9, 10, 40) }),
  step(1, 'join', { name: fc.constantFrom('ada', 'bob', 'eve'), role: fc.constantFrom('dev', 'dev', 'qa') }),
  step(1, 'stop', { name: actor }),
  step(6, 'add', {
    priority: fc.constantFrom(5, 5, 9, 0),
    estimate: fc.constantFrom(undefined, undefined, 1, 3),
    role: maybe('qa'),
    assignee: fc.oneof(maybe('ada'), maybe('bob')),
    files,
    blockedBy: few,
  }),
  step(8, 'claim', { id: fc.oneof(fc.constant(null), id), lease }),
  step(1, 'renew', { id, lease }),
  step(2, 'release', { id, force: fc.boolean() }),
  step(5, 'complete', { id }),
  step(2, 'fail', { id }),
  step(4, 'edges', { id, add: few, remove: few }),
  step(1, 'prioritise', { id, priority: fc.constantFrom(0, 5, 9) }),
  step(1, 'estimate', { id, estimate: fc.constantFrom(1, 2, 4) }),
  step(1, 'assign', { id, assignee: fc.constantFrom(null, 'ada', 'bob') }),
  step(2, 'reopen', { id }),
  step(2, 'delete', { id, detach: fc.boolean() }),
  step(4, 'send', {
    to: fc.constantFrom('user', 'lead', 'ada', 'bob', 'eve', 'all'),
    text: fc.stringMatching(/^[a-z]{3}$/),
  }),
)

function step<Kind extends Step['do']>(
  weight: number,
  kind: Kind,
  fields: { [Field in Exclude<keyof StepOf<Kind>, 'do'>]: fc.Arbitrary<StepOf<Kind>[Field]> },
) {
  return { weight, arbitrary: fc.record({ do: fc.constant(kind), ...fields }) as fc.Arbitrary<StepOf<Kind>> }
}
type StepOf<Kind> = Extract<Step, { do: Kind }>

const acts = fc.record({ by: actor, handle: fc.constantFrom(0 as const, 1 as const), step: steps }).map(
  ({ by, handle, step }): fc.AsyncCommand<Model, Real> => ({
    check: () => true,
    toString: () => `${by} on ${handle}: ${JSON.stringify(step)}`,
    async run(model, { teams, clock }) {
      const team = teams[handle]
      const expected = carryOut(model, by, step)
      const verdict = await tell(team, clock, by, step)
      expect(verdict).toBe(expected === 'refused' ? 'refused' : 'done')
      await team.refresh()
      expect(shownBy(team)).toEqual(shownIn(model))
      expect(brokenInvariants(team.state)).toEqual([])
    },
  }),
)

async function tell(team: TeamHandle, clock: ManualClock, by: string, step: Step): Promise<'done' | 'refused'> {
  if (step.do === 'wait') {
    clock.advance(step.seconds)
    return 'done'
  }
  const as = { by: { name: by } }
  const answer =
    step.do === 'send' ? await team.send({ to: step.to, content: step.text }, as) : await team.run(asCommand(step), as)
  return isRefusal(answer) ? 'refused' : 'done'
}

function asCommand(step: Exclude<Step, { do: 'wait' | 'send' }>): Command {
  const task = 'id' in step ? { id: String(step.id) } : { id: '' }
  const numbers = (ids: number[]) => ids.map(String)
  switch (step.do) {
    case 'join':
      return { type: 'member.join', name: step.name, role: step.role }
    case 'stop':
      return { type: 'member.stop', name: step.name }
    case 'add': {
      const { do: _, ...draft } = step
      return { type: 'task.add', tasks: [{ ...draft, subject: 'task', blockedBy: numbers(step.blockedBy) }] }
    }
    case 'claim':
      return { type: 'task.claim', ...(step.id !== null && task), lease: step.lease ?? undefined }
    case 'renew':
      return { type: 'task.renew', ...task, lease: step.lease ?? undefined }
    case 'release':
      return { type: 'task.release', ...task, force: step.force }
    case 'complete':
      return { type: 'task.complete', ...task }
    case 'fail':
      return { type: 'task.fail', ...task, reason: 'why' }
    case 'edges':
      return { type: 'task.update', ...task, addBlockedBy: numbers(step.add), removeBlockedBy: numbers(step.remove) }
    case 'prioritise':
      return { type: 'task.update', ...task, priority: step.priority }
    case 'estimate':
      return { type: 'task.update', ...task, estimate: step.estimate }
    case 'assign':
      return { type: 'task.update', ...task, assignee: step.assignee }
    case 'reopen':
      return { type: 'task.update', ...task, status: 'pending' }
    case 'delete':
      return { type: 'task.update', ...task, status: 'deleted', detach: step.detach }
    default:
      return step satisfies never
  }
}

const readers = ['ada', 'bob', 'eve', 'lead', 'user']

function shownBy({ state }: TeamHandle) {
  const tasks = allTasks(state).map((task) => {
    const { id, status, owner, assignee, priority, blockedBy, attempts, leaseUntil } = taskView(state, task)
    return { id: Number(id), status, owner, assignee, priority, blockedBy: blockedBy.map(Number), attempts, leaseUntil }
  })
  const text = (message: { content: string; task?: unknown; returns?: unknown }) => {
    if (message.task !== undefined) return `failed ${message.task}`
    const last = message.content.split('\n').at(-1)
    return message.returns === undefined ? last : `back ${last}`
  }
  const mail = readers.map((name) => unreadOf(state, name).map(({ message }) => `${message.from}: ${text(message)}`))
  return { tasks, mail }
}

function shownIn(model: Model) {
  const tasks = [...model.tasks]
    .sort((a, b) => a.id - b.id)
    .map(({ id, status, owner, assignee, priority, blockedBy, attempts, leaseUntil }) => {
      return { id, status, owner, assignee, priority, blockedBy, attempts, leaseUntil }
    })
  const mail = readers.map((name) =>
    model.mail.filter(({ to }) => to === name).map(({ from, text }) => `${from}: ${text}`),
  )
  return { tasks, mail }
}
