import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ModelRequest } from '../models/model.ts'
import { createPlace, openMemoryStore } from '../stores/memory/store.ts'
import { heldBy, memberNamed, type TeamState } from '../team/state.ts'
import type { TaskDraft } from '../team/task.ts'
import { type ComposedAnswer, composedModel, untilAborted } from '../testing/harnesses/composed-model.ts'
import { openTestSession, runToEnd } from '../testing/harnesses/session-harness.ts'
import { manualClock } from '../testing/manual-clock.ts'
import type { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'

const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })
const tools = (...calls: ReturnType<typeof call>[]): ComposedAnswer => ({ calls })
const text = (text: string): ComposedAnswer => ({ text })

const taskIn = (request: ModelRequest) => /<task id=\\"(\d+)\\">/.exec(JSON.stringify(request.turns.at(-1)))?.[1]

/** An answer of one agent; undefined for the usual one. */
type AnswerOf = (
  state: TeamState,
  request: ModelRequest,
  signal: AbortSignal,
) => ComposedAnswer | Promise<ComposedAnswer> | undefined

const open = new Set<Session>()
afterEach(async () => {
  for (const session of open) await session.close()
  open.clear()
})

let root: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-lead-')))
  // Finds no git: no test here counts uncommitted files.
  vi.stubEnv('PATH', root)
})
afterAll(() => {
  vi.unstubAllEnvs()
})

/** A session whose teammates complete their tasks, on a clock that only the test advances. */
async function openTeam(
  answers: Record<string, AnswerOf>,
  { place = createPlace(), ...options }: Partial<SessionOptions> & { place?: ReturnType<typeof createPlace> } = {},
) {
  const clock = manualClock()
  const { model, requests } = composedModel(async (request, signal) => {
    const special = await answers[request.agent]?.(session.team.state, request, signal)
    if (special) return special
    const taskId = taskIn(request)
    return taskId
      ? tools(call('TaskUpdate', { taskId, status: 'completed', result: `did ${taskId}` }))
      : text(request.agent === 'lead' ? 'I see.' : 'Ready.')
  })
  const session = await openTestSession({ model, clock, root, store: await openMemoryStore(place), ...options })
  open.add(session)
  const callsOf = (agent: string) => requests.filter((request) => request.agent === agent)
  return {
    session,
    clock,
    place,
    requests,
    callsOf,
    lastTurnOf: (agent: string) => JSON.stringify(callsOf(agent).at(-1)?.turns.at(-1) ?? ''),
    /** Spawns teammates in a run of its own; they are idle after it. */
    async spawn(...names: string[]) {
      const before = answers.lead
      answers.lead = (state) =>
        names.every((name) => memberNamed(state, name))
          ? undefined
          : tools(...names.map((name) => call('Task', { name, role: 'dev', prompt: 'Wait for tasks.' })))
      await runToEnd(session, 'Go.', AbortSignal.timeout(20_000))
      answers.lead = before ?? (() => undefined)
      requests.length = 0
    },
    async add(...tasks: TaskDraft[]) {
      await session.team.run({ type: 'task.add', tasks })
    },
    run: () => runToEnd(session, undefined, AbortSignal.timeout(20_000)),
  }
}

/** Resolves when the condition holds; it is checked in every round of the event loop. */
async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 5000 && !condition(); i++) await new Promise((resolve) => setImmediate(resolve))
  if (!condition()) throw new Error(`Never true: ${condition}`)
}

/** Lets everything happen that needs no answer and no time. */
async function rounds(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** A model that answers when the test says so. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), opened: (signal: AbortSignal) => Promise.race([opened, untilAborted(signal)]) }
}

const EIGHT = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal']

describe('the lead of a team that works without trouble', () => {
  it('is called once while eight teammates finish forty tasks, and gets all results in that call', async () => {
    const team = await openTeam({})
    await team.spawn(...EIGHT)
    const graph = Array.from({ length: 40 }, (_, i) => ({
      subject: `task ${i + 1}`,
      blockedBy: i < 8 ? [] : [`+${i - 7}`, ...(i % 3 === 0 ? [`+${i - 6}`] : [])],
    }))
    await team.add(...graph)
    const { stop } = await team.run()
    expect(stop.kind).toBe('finished')
    expect([...team.session.team.state.tasks.values()].filter(({ status }) => status === 'completed')).toHaveLength(40)
    expect(team.callsOf('lead')).toHaveLength(1)
    expect(new Set(team.lastTurnOf('lead').match(/task=\\"\d+\\"/g)).size).toBe(40)
  }) // A71

  it('is not called when a resting team of eight is resumed', async () => {
    const first = await openTeam({})
    await first.spawn(...EIGHT)
    await first.add({ subject: 'one' }, { subject: 'two' })
    await first.run()
    await first.session.close()
    open.delete(first.session)
    const again = await openTeam({}, { place: first.place, team: first.session.id })
    const { stop } = await again.run()
    expect(stop.kind).toBe('finished')
    expect(again.requests).toEqual([])
  }) // T25
})

describe('a lead that is idle', () => {
  /** Bob works on task 1 until his gate opens; ada does whatever else is ready. */
  async function whileBobWorks(answers: Record<string, AnswerOf> = {}, options: Partial<SessionOptions> = {}) {
    const bob = gate()
    const team = await openTeam(
      {
        bob: (state, _, signal) => heldBy(state, 'bob') && bob.opened(signal).then(() => completeOwn(state, 'bob')),
        ...answers,
      },
      options,
    )
    await team.spawn('ada', 'bob')
    await team.add({ subject: 'long', assignee: 'bob' }, { subject: 'short', assignee: 'ada' })
    const running = team.run()
    const { state } = team.session.team
    const isAdaIdle = () => state.tasks.get('2')?.status === 'completed' && memberNamed(state, 'ada')?.status === 'idle'
    return { ...team, bob, running, isAdaIdle }
  }

  const completeOwn = (state: TeamState, name: string) =>
    tools(call('TaskUpdate', { taskId: heldBy(state, name)!.id, status: 'completed', result: 'ok' }))

  it('takes a turn when a teammate has been idle for 20 s while a result is unheard', async () => {
    const team = await whileBobWorks()
    await until(team.isAdaIdle)
    team.clock.advance(19)
    await rounds()
    expect(team.callsOf('lead')).toHaveLength(0)
    team.clock.advance(1)
    await until(() => team.callsOf('lead').length === 1)
    team.bob.open()
    await team.running
    expect(team.callsOf('lead')).toHaveLength(2)
  })

  it('waits for as long as the settings say', async () => {
    const team = await whileBobWorks({}, { supervisor: { leadWakesAfterIdle: 0 } })
    await until(() => team.callsOf('lead').length > 0)
    team.bob.open()
    await team.running
  })

  it('takes a turn for each result if the settings say so', async () => {
    const team = await whileBobWorks({}, { supervisor: { resultDelivery: 'each' } })
    await until(() => team.callsOf('lead').length > 0)
    team.bob.open()
    await team.running
  })

  it('takes a turn at once when a task fails', async () => {
    const team = await whileBobWorks({
      ada: (state) => {
        const task = heldBy(state, 'ada')
        return task && tools(call('TaskUpdate', { taskId: task.id, status: 'failed', reason: 'too hard' }))
      },
    })
    await until(() => team.lastTurnOf('lead').includes('too hard'))
    team.bob.open()
    await team.running
  })

  it('takes a turn at once when a task with wakeLead ends', async () => {
    const team = await whileBobWorks()
    await until(team.isAdaIdle)
    expect(team.callsOf('lead')).toHaveLength(0)
    await team.add({ subject: 'look at this', assignee: 'ada', wakeLead: true })
    await until(() => team.callsOf('lead').length > 0)
    expect(team.lastTurnOf('lead'), 'what waited arrives with it').toContain('task=\\"2\\"')
    team.bob.open()
    await team.running
  })

  it('takes a turn at once for a message, and for what a teammate says without a task', async () => {
    const team = await whileBobWorks()
    await until(team.isAdaIdle)
    await team.session.team.send({ to: 'ada', content: 'Are you there?' })
    await until(() => team.lastTurnOf('lead').includes('Ready.'))
    await team.session.team.send({ to: 'lead', content: 'Hurry up.' })
    await until(() => team.lastTurnOf('lead').includes('Hurry up.'))
    team.bob.open()
    await team.running
  })

  it('is told once of a ready task that no member can take, and again when it was possible in between', async () => {
    const team = await whileBobWorks()
    await until(team.isAdaIdle)
    await team.add({ subject: 'paint', role: 'painter' })
    await until(() => team.lastTurnOf('lead').includes('No member can take'))
    expect(team.lastTurnOf('lead')).toContain('#3 paint (role painter)')
    await team.session.team.send({ to: 'lead', content: 'Well?' })
    await until(() => team.lastTurnOf('lead').includes('Well?'))
    expect(team.lastTurnOf('lead')).not.toContain('No member can take')
    await team.session.team.run({ type: 'member.join', name: 'kim', role: 'painter' })
    await team.session.team.run({ type: 'member.stop', name: 'kim' })
    await until(() => team.lastTurnOf('lead').includes('No member can take'))
    team.bob.open()
    const { stop } = await team.running
    expect(stop.kind).toBe('finished')
  })

  it('is not told of a task that a member can take later', async () => {
    const team = await whileBobWorks()
    await until(team.isAdaIdle)
    await team.add({ subject: 'for bob', assignee: 'bob' }, { subject: 'after it', blockedBy: ['+1'], role: 'DEV' })
    team.bob.open()
    await team.running
    expect(JSON.stringify(team.callsOf('lead'))).not.toContain('No member can take')
  })
})

describe('a lead that plans step by step', () => {
  it('keeps its teammates busy: each result that leaves one without work wakes it', async () => {
    const steps = 12
    const team = await openTeam({
      lead: (state, { turns }) => {
        const open = [...state.tasks.values()].filter(({ status }) => status !== 'completed').length
        if (turns.at(-1)?.role === 'tool' || open > 0 || state.tasks.size === steps) return undefined
        return tools(call('TaskCreate', { subject: `step ${state.tasks.size + 1}`, description: '' }))
      },
    })
    await team.spawn('ada', 'bob')
    await team.add({ subject: 'step 1' })
    await team.run()
    const { tasks } = team.session.team.state
    expect([...tasks.values()].map(({ status }) => status)).toEqual(Array(steps).fill('completed'))
  })

  it('gets the results of all teams that it leads in one turn', async () => {
    const work = gate()
    const completeFirst = (_: TeamState, request: ModelRequest, signal: AbortSignal) =>
      taskIn(request) === undefined
        ? undefined
        : work.opened(signal).then(() => tools(call('TaskUpdate', { taskId: '1', status: 'completed', result: 'ok' })))
    const team = await openTeam({
      ada: completeFirst,
      bob: completeFirst,
      lead: (_, { turns }) =>
        turns.length > 1
          ? undefined
          : tools(
              call('TaskCreate', { subject: 'here', description: '' }),
              call('Task', { name: 'ada', role: 'dev', prompt: 'Do it.', task_id: '1' }),
              call('TeamCreate', { name: 'api' }),
              call('TaskCreate', { subject: 'there', description: '', team_name: 'api' }),
              call('Task', { name: 'bob', role: 'dev', prompt: 'Do it.', task_id: '1', team_name: 'api' }),
            ),
    })
    const running = runToEnd(team.session, 'Go.', AbortSignal.timeout(20_000))
    await until(() => team.callsOf('ada').length + team.callsOf('bob').length === 2)
    await until(() => memberNamed(team.session.team.state, 'lead')?.status === 'idle')
    work.open()
    expect((await running).stop.kind).toBe('finished')
    const withResults = team
      .callsOf('lead')
      .filter(({ turns }) => JSON.stringify(turns.at(-1)).includes('type=\\"result\\"'))
    expect(withResults).toHaveLength(1)
    expect(team.lastTurnOf('lead')).toMatch(/from=\\"ada\\" type.*from=\\"bob\\" team=\\"api\\"/)
  })
})
