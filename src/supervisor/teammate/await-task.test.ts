import { afterEach, describe, expect, it } from 'vitest'
import type { OpenAgent } from '../../agent/agent.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import type { ModelRequest } from '../../models/model.ts'
import type { Command } from '../../team/command.ts'
import { heldBy, memberNamed } from '../../team/state.ts'
import {
  closeSupervisors,
  lastTurnText,
  neverAnswers,
  type SupervisorHarness,
  supervisorHarness,
} from '../../testing/harnesses/supervisor-harness.ts'
import { type TeamHarness, teamHarness } from '../../testing/harnesses/team-harness.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { createHandOver } from './hand-over.ts'

afterEach(closeSupervisors)

const ANSWER_SECONDS = 4

function describedTask(request: ModelRequest): string | undefined {
  return /<task id=\\"(\d+)\\"/.exec(lastTurnText(request))?.[1]
}

const done = (taskId: string) => ({ tool: 'TaskUpdate', input: { taskId, status: 'completed', result: 'done' } })

interface Work extends SupervisorHarness {
  /** Lets `bob` complete its task. */
  answerBob(): void
}

/**
 * `ada` has completed task 1 in an answer that took some seconds; `bob` works on task 2, and what comes next waits for it.
 */
async function adaWithoutTask({
  waiting = 2,
  answerSeconds = ANSWER_SECONDS,
  calls = [] as { tool: string; input: object }[],
} = {}): Promise<Work> {
  const clock = manualClock()
  let answerBob = () => {}
  const bobAnswers = new Promise<void>((resolve) => {
    answerBob = resolve
  })
  const harness = await supervisorHarness(
    async (request, signal) => {
      const task = describedTask(request)
      if (task === undefined) return { text: 'Nothing left.' }
      if (task === '2') await Promise.race([bobAnswers, neverAnswers(request, signal)])
      if (task === '1') {
        await harness.until(() => harness.requestsOf('bob').length === 1)
        clock.advance(answerSeconds)
      }
      return { calls: [done(task), ...(task === '1' ? calls : [])] as never }
    },
    { clock },
  )
  await harness.tasks({ subject: 'dig' }, { subject: 'wall' })
  await harness.tasks(...Array.from({ length: waiting }, (_, i) => ({ subject: `behind ${i}`, blockedBy: ['2'] })))
  await harness.supervised.spawn({ name: 'bob', prompt: 'Work.', task: '2' })
  await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
  await harness.until(() => harness.team.state.tasks.get('1')?.status === 'completed')
  await settled()
  return { ...harness, answerBob }
}

/** All that follows from the last event has happened. */
async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
}

const announcedTasks = (harness: SupervisorHarness) => harness.requestsOf('ada').map(describedTask)

describe('a teammate that has no next task while others are about to make one ready', () => {
  it('gets it in the turn of its result, without a request in between', async () => {
    const work = await adaWithoutTask()
    expect(announcedTasks(work)).toEqual(['1'])
    work.clock.advance(ANSWER_SECONDS - 1)
    work.answerBob()
    await work.until(() => work.supervised.isIdle)
    expect(announcedTasks(work)).toEqual(['1', '4', undefined])
    const { turns } = work.requestsOf('ada')[1]!
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(JSON.stringify(turns.at(-1))).toContain('Since then a task became ready')
    expect(work.requestsOf('bob').map(describedTask)).toEqual(['2', '3', undefined])
  })

  it('gets it after its other calls too', async () => {
    const work = await adaWithoutTask({ calls: [{ tool: 'peek', input: {} }] })
    expect(announcedTasks(work)).toEqual(['1'])
    work.answerBob()
    await work.until(() => work.supervised.isIdle)
    expect(announcedTasks(work)).toEqual(['1', '4', undefined])
    expect(lastTurnText(work.requestsOf('ada')[1]!)).not.toContain('no next task')
  })

  it('ends its turn when it has waited as long as its last answer took', async () => {
    const work = await adaWithoutTask()
    work.clock.advance(ANSWER_SECONDS - 1)
    await settled()
    expect(announcedTasks(work)).toEqual(['1'])
    work.clock.advance(1)
    await work.until(() => memberNamed(work.team.state, 'ada')?.status === 'idle')
    expect(announcedTasks(work)).toEqual(['1', undefined])
    expect(JSON.stringify(work.requestsOf('ada')[1]!.turns.at(-1))).toContain('There is no next task for you now.')
  })

  it('waits for seconds at most, however long its answers take', async () => {
    const work = await adaWithoutTask({ answerSeconds: 600 })
    work.clock.advance(9)
    await settled()
    expect(announcedTasks(work)).toEqual(['1'])
    work.clock.advance(1)
    await work.until(() => memberNamed(work.team.state, 'ada')?.status === 'idle')
  })

  it('does not wait for what those take who make it ready', async () => {
    const work = await adaWithoutTask({ waiting: 1 })
    await work.until(() => memberNamed(work.team.state, 'ada')?.status === 'idle')
    expect(announcedTasks(work)).toEqual(['1', undefined])
  })

  it('reads a message at once, and takes the task later', async () => {
    const work = await adaWithoutTask()
    await work.team.send({ type: 'message', to: 'ada', content: 'Which colour?' })
    await work.until(() => memberNamed(work.team.state, 'ada')?.status === 'idle')
    expect(lastTurnText(work.requestsOf('ada')[1]!)).toContain('Which colour?')
    work.answerBob()
    await work.until(() => work.supervised.isIdle)
    expect(announcedTasks(work)).toEqual(['1', undefined, '4', undefined])
  })

  it('stops waiting when it is asked to stop, at a limit of the run, and when its process ends', async () => {
    const asked = await adaWithoutTask()
    const stop = { type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' } as const
    await asked.team.run(stop, { by: asked.lead })
    await asked.until(() => asked.requestsOf('ada').length > 1)
    const limited = await adaWithoutTask()
    Object.assign(limited.context.limits, { turns: 1 })
    limited.context.run.used.purse.calls = 1
    limited.answerBob()
    await limited.until(() => limited.supervised.isIdle)
    // Over a limit no teammate gets a task, also not the one that makes two of them ready.
    expect(['3', '4'].map((id) => limited.team.state.tasks.get(id)?.status)).toEqual(['pending', 'pending'])
    const closed = await adaWithoutTask()
    await closed.close()
    expect(closed.requestsOf('ada')).toHaveLength(1)
    expect(closed.clock.next).toBeUndefined()
  })
})

/** `ada` waits on this team as well; `isOver` once it does not wait any more. */
async function waitOn(work: Pick<Work, 'context' | 'clock'>, team: TeamHandle): Promise<{ isOver(): boolean }> {
  const handOver = createHandOver({ context: work.context, team, by: { name: 'ada' }, async tellTask() {} })
  work.clock.advance(ANSWER_SECONDS)
  handOver.onEvent({ type: 'answered' } as never)
  handOver.onEvent({ type: 'tool_finished', result: { text: 'completed', handOver: 'none' } } as never)
  const agent = { inbox: { notices: { waiting: 0, add() {} } } } as unknown as OpenAgent
  let isOver = false
  void handOver.beforeInput(agent, new AbortController().signal).then(() => {
    isOver = true
  })
  await settled()
  return { isOver: () => isOver }
}

/** `ada` waits while one task is ready; `claim` carries out its claims. The team after that. */
async function claimsOfAda(claim: (world: TeamHarness, command: Command) => void): Promise<TeamHarness> {
  const world = teamHarness()
  for (const name of ['ada', 'eve']) world.ok({ type: 'member.spawn', name, role: 'dev', runtime: 'here' })
  world.add('contested')
  const run = async (command: Command) => claim(world, command)
  const team = { state: world.state, run, watch: () => () => {} } as unknown as TeamHandle
  const clock = manualClock()
  const context = { clock, limits: {}, run: { used: { purse: { calls: 0, dollars: 0 } } } } as unknown as SessionContext
  const { isOver } = await waitOn({ context, clock }, team)
  expect(isOver()).toBe(true)
  return world
}

describe('the wait for a next task', () => {
  it('takes a task that became ready while another member got the one it tried to claim', async () => {
    const ada = { name: 'ada', generation: 1 }
    let tries = 0
    const { state } = await claimsOfAda((world, command) => {
      if (++tries === 1) world.ok({ type: 'task.claim', id: '1' }, { name: 'eve', generation: 1 })
      world.ok(command, ada)
      if (tries === 1) world.add('ready meanwhile')
    })
    expect([heldBy(state, 'eve')?.id, heldBy(state, 'ada')?.id, tries]).toEqual(['1', '2', 2])
  })

  it('tries to claim a task once that is not handed over', async () => {
    let tries = 0
    await claimsOfAda(() => {
      if (++tries > 3) throw new Error('It tries again and again.')
    })
    expect(tries).toBe(1)
  })

  it('follows the journal only as long as it lasts', async () => {
    const work = await adaWithoutTask({ answerSeconds: 600 })
    let watchers = 0
    const watch: TeamHandle['watch'] = (watcher) => {
      watchers++
      const stop = work.team.watch(watcher)
      return () => {
        watchers--
        stop()
      }
    }
    const { isOver } = await waitOn(work, Object.create(work.team, { watch: { value: watch } }))
    expect([watchers, isOver()]).toEqual([1, false])
    await work.tasks({ subject: 'of another role', role: 'tester' })
    await settled()
    expect([watchers, isOver()], 'it waits for the next record').toEqual([1, false])
    work.answerBob()
    await work.until(isOver)
    expect(watchers).toBe(0)
  })

  it('is left out of a recorded run, in which nothing may depend on time', async () => {
    const work = await adaWithoutTask({ answerSeconds: 600 })
    const isOver = async (team: TeamHandle) => (await waitOn(work, team)).isOver()
    expect(await isOver(work.team)).toBe(false)
    expect(await isOver(Object.create(work.team, { order: { value: {} } }))).toBe(true)
  })
})
