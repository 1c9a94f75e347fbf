import { afterEach, describe, expect, it } from 'vitest'
import type { ModelRequest } from '../../models/model.ts'
import type { Hooks } from '../../permissions/hooks/hooks.ts'
import { createSharedLog } from '../../stores/memory/log.ts'
import { createPlace, type Place } from '../../stores/memory/store.ts'
import type { TeamEvent } from '../../team/event.ts'
import { heldBy, memberNamed, unreadOf } from '../../team/state.ts'
import {
  type Compose,
  closeSupervisors,
  lastTurnText,
  neverAnswers,
  type SupervisorHarness,
  supervisorHarness,
} from '../../testing/harnesses/supervisor-harness.ts'

afterEach(closeSupervisors)

type Call = { tool: string; input: Record<string, unknown> }
const update = (taskId: string, status: string, more: object = {}): Call => ({
  tool: 'TaskUpdate',
  input: { taskId, status, ...more },
})
const done = (id: string) => update(id, 'completed', { result: `${id} is done` })

/** The task that the last turn of a request describes. */
function describedTask(request: ModelRequest): string | undefined {
  return /<task id=\\"(\d+)\\"/.exec(lastTurnText(request))?.[1]
}

/** Completes each task in the answer to the turn that describes it, and ends its turn otherwise. */
const completes: Compose = (request) => {
  const task = describedTask(request)
  return task === undefined ? { text: 'Nothing left.' } : { text: `I did ${task}.`, calls: [done(task)] }
}

/** A teammate `ada` on a board of tasks that it is told of by hand-over. */
async function atWork(compose: Compose, subjects: readonly string[], options = {}) {
  const harness = await supervisorHarness(compose, options)
  const events: TeamEvent[] = []
  harness.team.watch((applied) => void events.push(...applied.events))
  if (subjects.length > 0) await harness.tasks(...subjects.map((subject) => ({ subject })))
  return { ...harness, events }
}

const mailOfLead = ({ team }: Pick<SupervisorHarness, 'team'>, type: string) =>
  unreadOf(team.state, 'lead').flatMap(({ message }) => (message.type === type ? [message] : []))
const resultsOf = ({ turns }: ModelRequest) => JSON.stringify(turns.filter(({ role }) => role === 'tool').at(-1))

describe('a teammate that completes its task', () => {
  it('reads the next one in the turn of the result, without another request or an idle moment', async () => {
    const harness = await atWork(completes, ['dig', 'wall', 'roof'])
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.modelRequests.map(describedTask)).toEqual(['1', '2', '3', undefined])
    const roles = harness.modelRequests[1]!.turns.map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(resultsOf(harness.modelRequests[1]!)).toContain('Task #1 completed: dig.')
    expect(resultsOf(harness.modelRequests[1]!)).toContain('Your next task: #2 wall.')
    const activity = harness.events.flatMap((event) => (event.type === 'member.activity' ? [event.status] : []))
    expect(activity).toEqual(['working', 'idle'])
  })

  it('is told with the result that nothing is ready, and ends its turn', async () => {
    const harness = await atWork(completes, ['dig'])
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.modelRequests).toHaveLength(2)
    expect(resultsOf(harness.modelRequests[1]!)).toContain('There is no next task for you now.')
  })

  it('sends each result to the lead as that of its task; the text of the answer where none is given', async () => {
    const harness = await atWork(
      (request) => {
        const task = describedTask(request)
        if (task === undefined) return { text: 'Nothing left.' }
        if (task === '3') return { calls: [update('3', 'completed')] }
        return { text: `I did ${task}.`, calls: [task === '1' ? done(task) : update(task, 'completed')] }
      },
      ['dig', 'wall', 'roof'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    expect(mailOfLead(harness, 'result')).toMatchObject([
      { from: 'ada', task: '1', content: '1 is done' },
      { from: 'ada', task: '2', content: 'I did 2.' },
      { from: 'ada', task: '3', content: 'Task 3 (roof) is completed. No result was given.' },
      { from: 'ada', task: '3', content: 'Nothing left.' },
    ])
    expect(harness.team.state.tasks.get('2')).toMatchObject({ result: 'I did 2.' })
  })

  it('loses no result when two complete in the same moment', async () => {
    let answerBoth = () => {}
    const both = new Promise<void>((resolve) => {
      answerBoth = resolve
    })
    const harness = await atWork(
      async (request, signal) => {
        if (harness.modelRequests.filter((one) => describedTask(one) !== undefined).length === 2) answerBoth()
        await both
        return completes(request, signal)
      },
      ['dig', 'wall'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.supervised.spawn({ name: 'bob', prompt: 'Work.', task: '2' })
    await harness.until(() => harness.supervised.isIdle)
    const results = mailOfLead(harness, 'result').map(({ content }) => content)
    expect(results.filter((text) => text.endsWith('is done')).sort()).toEqual(['1 is done', '2 is done'])
  })

  it('gets the next one when all calls of the answer are done, if the completion is not the last', async () => {
    const harness = await atWork(
      (request) => {
        const task = describedTask(request)
        return task === '1' ? { calls: [done('1'), { tool: 'peek', input: {} }] } : { text: 'Hm.' }
      },
      ['dig', 'wall'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.modelRequests.length >= 2)
    expect(describedTask(harness.modelRequests[1]!)).toBe('2')
    expect(resultsOf(harness.modelRequests[1]!)).toContain('seen')
    expect(resultsOf(harness.modelRequests[1]!)).not.toContain('next task')
    const claims = harness.events.flatMap((event) => (event.type === 'task.claimed' ? [event.id] : []))
    expect(claims).toEqual(['1', '2'])
  })

  it('is told after its other calls that nothing is ready', async () => {
    const harness = await atWork(
      (request) =>
        describedTask(request) === '1' ? { calls: [done('1'), { tool: 'peek', input: {} }] } : { text: 'Hm.' },
      ['dig'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.modelRequests).toHaveLength(2)
    expect(lastTurnText(harness.modelRequests[1]!)).toContain('There is no next task for you now.')
  })

  it('keeps the task that it claims itself in the same answer', async () => {
    const harness = await atWork(
      (request, signal) =>
        describedTask(request) === '1'
          ? { calls: [done('1'), update('3', 'in_progress')] }
          : neverAnswers(request, signal),
      ['dig', 'wall', 'roof'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.modelRequests.length === 2)
    expect(heldBy(harness.team.state, 'ada')?.id).toBe('3')
    // The result of its claim describes the task.
    expect(describedTask(harness.modelRequests[1]!)).toBeUndefined()
  })

  it('gets the next task in the simple spelling too', async () => {
    const harness = await atWork(completes, ['dig', 'wall'], { spelling: 'simple' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.modelRequests.map(describedTask)).toEqual(['1', '2', undefined])
  })

  it('gets none over a limit of the run', async () => {
    const harness = await atWork(
      (request, signal) => {
        const { context } = harness
        if (describedTask(request) === '1') Object.assign(context.limits, { turns: 1 })
        context.run.used.purse.calls = 1
        return completes(request, signal)
      },
      ['dig', 'wall', 'roof'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.team.state.tasks.get('1')?.status === 'completed' && harness.supervised.isIdle)
    expect(harness.team.state.tasks.get('2')?.status).toBe('pending')
    expect(mailOfLead(harness, 'result')[0]).toMatchObject({ task: '1', content: '1 is done' })
  })

  it('gets none after its other calls if a limit is reached by then, and none while it is asked to stop', async () => {
    for (const reason of ['limit', 'request'] as const) {
      const harness = await atWork(
        async (request) => {
          const stop = { type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' } as const
          if (describedTask(request) !== '1') return { text: 'Well.' }
          if (reason === 'request') await harness.team.run(stop, { by: harness.lead })
          return { calls: [done('1'), { tool: 'peek', input: {} }] }
        },
        ['dig', 'wall'],
      )
      harness.team.watch(({ events }) => {
        if (reason === 'request' || !events.some(({ type }) => type === 'task.completed')) return
        Object.assign(harness.context.limits, { turns: 1 })
        harness.context.run.used.purse.calls = 1
      })
      await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
      await harness.until(() => harness.team.state.tasks.get('1')?.status === 'completed' && harness.supervised.isIdle)
      expect(harness.team.state.tasks.get('2'), reason).toMatchObject({ status: 'pending', attempts: 0 })
    }
  })

  it('gets none while it is asked to stop', async () => {
    const harness = await atWork(
      async (request, signal) => {
        if (describedTask(request) === '1')
          await harness.team.run(
            { type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' },
            { by: harness.lead },
          )
        return completes(request, signal)
      },
      ['dig', 'wall'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => memberNamed(harness.team.state, 'ada')?.status === 'stopped')
    expect(harness.team.state.tasks.get('1')?.status).toBe('completed')
    expect(harness.team.state.tasks.get('2')).toMatchObject({ status: 'pending', attempts: 0 })
  })

  it('gets the next one also if the call that completes a task changes its words first', async () => {
    const harness = await atWork(
      (request) => {
        const task = describedTask(request)
        const more = { result: 'dug', description: 'Two metres deep.' }
        return task === undefined ? { text: 'Done.' } : { calls: [update(task, 'completed', more)] }
      },
      ['dig', 'wall'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.modelRequests.map(describedTask)).toEqual(['1', '2', undefined])
    expect([...harness.team.state.tasks.values()]).toMatchObject(
      ['1', '2'].map((id) => ({ id, status: 'completed', result: 'dug', description: 'Two metres deep.' })),
    )
  })

  it('gets none when the lead ends the task', async () => {
    const harness = await atWork(
      async (request) => {
        if (describedTask(request) === '1')
          await harness.team.run({ type: 'task.fail', id: '1', reason: 'not needed' }, { by: harness.lead })
        if (describedTask(request) === undefined) return { text: 'Well.' }
        return { calls: [describedTask(request) === '1' ? done('1') : done('2')] }
      },
      ['dig', 'wall'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.team.state.tasks.get('2')?.status === 'completed' && harness.supervised.isIdle)
    // Its turn ended with 'Well.' before it claimed the other task.
    expect(harness.modelRequests.map(describedTask)).toEqual(['1', undefined, '2', undefined])
  })

  it('needs another approved plan for the next one, which is a new assignment', async () => {
    const plan = { calls: [{ tool: 'SendMessage', input: { type: 'plan_approval_request', content: 'I dig.' } }] }
    const harness = await atWork(
      (request) => {
        const text = lastTurnText(request)
        if (describedTask(request) === '2') return { calls: [{ tool: 'work' }] }
        if (text.includes('go ahead')) return { calls: [done('1')] }
        return describedTask(request) === '1' ? plan : { text: 'I wait.' }
      },
      ['dig', 'wall'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1', requirePlan: true })
    await harness.until(() => harness.team.state.requests.get('r1')?.state === 'pending')
    const yes = { type: 'request.answer', id: 'r1', approve: true, feedback: 'go ahead' } as const
    await harness.team.run(yes, { by: harness.lead })
    const working = () => harness.modelRequests.findIndex((request) => describedTask(request) === '2')
    await harness.until(() => working() >= 0 && harness.modelRequests.length > working() + 1)
    expect(resultsOf(harness.modelRequests[working() + 1]!)).toContain('Blocked: plan status is required')
  })

  it('is reminded of the next one as often as of the first', async () => {
    const harness = await atWork(
      (request) => (describedTask(request) === '1' ? { calls: [done('1')] } : { text: 'I rest.' }),
      ['dig', 'wall'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.team.state.tasks.get('2')?.status === 'failed')
    const reminders = harness.modelRequests.filter((request) => lastTurnText(request).includes('but you still hold'))
    expect(reminders).toHaveLength(2)
  })
})

describe('the Stop hook', () => {
  it('runs when the turn ends, not with each task that is completed in it', async () => {
    const harness = await atWork(completes, ['dig', 'wall', 'roof'])
    const requestsAtHook: number[] = []
    const hooks: Hooks = {
      has: (event) => event === 'Stop',
      async run() {
        requestsAtHook.push(harness.modelRequests.length)
        return { refusal: undefined, context: '' }
      },
    }
    Object.assign(harness.context, { hooks })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    expect(requestsAtHook).toEqual([4])
  })
})

describe('a teammate that fails its task', () => {
  it('gets the next one, but not after two failures in a row', async () => {
    const harness = await atWork(
      (request) => {
        const task = describedTask(request)
        return task === undefined ? { text: 'Sorry.' } : { calls: [update(task, 'failed', { reason: 'too hard' })] }
      },
      ['dig', 'wall', 'roof'],
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => harness.team.state.tasks.get('3')?.status === 'failed' && harness.supervised.isIdle)
    expect(harness.modelRequests.map(describedTask)).toEqual(['1', '2', undefined, '3', undefined])
  })
})

describe('teammates on a board of tasks without roles', () => {
  it('all get their share, however fast one of them is', async () => {
    const names = ['ada', 'bob', 'eve']
    const harness = await atWork(completes, [])
    for (const name of names) await harness.supervised.spawn({ name, prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    await harness.tasks(...['1', '2', '3', '4', '5', '6'].map((subject) => ({ subject })))
    await harness.until(() => harness.supervised.isIdle && [...harness.team.state.tasks.values()].every(isCompleted))
    const owners = new Set([...harness.team.state.tasks.values()].map((task) => 'owner' in task && task.owner))
    expect([...owners].sort()).toEqual(names)
  }) // A79
})

const isCompleted = ({ status }: { status: string }) => status === 'completed'

describe('eight teammates on a graph of 40 tasks, three turns each', () => {
  it('make no more requests than the work takes, one at the end of each, and one for each wait', async () => {
    const waiting: (() => void)[] = []
    const harness = await atWork(async (request) => {
      await new Promise<void>((resolve) => void waiting.push(resolve))
      const at = request.turns.findLastIndex((turn) => JSON.stringify(turn).includes('<task id='))
      const task = /<task id=\\"(\d+)\\"/.exec(JSON.stringify(request.turns[at]))?.[1]
      if (task === undefined || JSON.stringify(request.turns.at(-1)).includes('no next task')) return { text: 'Ready.' }
      const calls = request.turns.length - 1 - at
      return { calls: [calls < 4 ? { tool: 'peek', input: {} } : done(task)] }
    }, [])
    for (let i = 1; i <= 8; i++) await harness.supervised.spawn({ name: `mate-${i}`, prompt: 'Hello.' })
    await harness.until(() => waiting.length === 8)
    for (const answer of waiting.splice(0)) answer()
    await harness.until(() => harness.supervised.isIdle)
    const before = harness.modelRequests.length
    await harness.tasks(...graph(8, 5))
    const isOver = () => harness.supervised.isIdle && [...harness.team.state.tasks.values()].every(isCompleted)
    let rounds = 0
    for (; !isOver() && rounds < 100; rounds++) {
      await harness.until(() => waiting.length > 0 || isOver())
      // Everything that follows from the last answers has happened.
      for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
      for (const answer of waiting.splice(0)) answer()
    }
    const work = 40 * 3
    // At four places of the graph a teammate is done before the task that comes next for it is ready.
    expect(harness.modelRequests.length - before).toBeLessThanOrEqual(work + 8 + 4)
    expect(rounds).toBeLessThanOrEqual(18)
  })
})

/** Chains of tasks with dependencies between chains. */
function graph(chains: number, length: number) {
  return Array.from({ length: chains * length }, (_, at) => {
    const [step, chain] = [Math.floor(at / chains), at % chains]
    const id = (of: number) => String((step - 1) * chains + (of % chains) + 1)
    const across = (chain + step) % 2 === 0 ? [id(chain + 1)] : []
    return { subject: `task ${at + 1}`, blockedBy: step === 0 ? [] : [id(chain), ...across] }
  })
}

describe('a process that dies between the record of a completion and its result', () => {
  it('leaves the call to be answered from the journal, and the next task to be stated once', async () => {
    let copy: Place | undefined
    const before = await atWork(completes, ['dig', 'wall', 'roof'])
    before.team.watch(({ events }) => {
      if (events.some((event) => event.type === 'task.completed' && event.id === '1')) copy ??= copyOf(before.place)
    })
    await before.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await before.until(() => copy !== undefined)
    await before.crash()

    const after = await supervisorHarness(completes, { place: copy! })
    await after.supervised.resume()
    await after.until(() => after.supervised.isIdle)
    const [first] = after.modelRequests
    expect(resultsOf(first!)).toContain('Task #1 completed. Your process ended right after that.')
    expect(JSON.stringify(first!.turns).match(/<task id=\\"2\\"/g)).toHaveLength(1)
    expect(lastTurnText(first!)).toContain('You still hold task 2: wall')
    expect([...after.team.state.tasks.values()].map(({ status, attempts }) => [status, attempts])).toEqual([
      ['completed', 1],
      ['completed', 2],
      ['completed', 1],
    ])
    const results = mailOfLead(after, 'result').filter(({ content }) => content.endsWith('is done'))
    expect(results.map(({ task }) => task)).toEqual(['1', '2', '3'])
  }) // F24
})

/** What a process that was killed now would leave behind. */
function copyOf(place: Place): Place {
  const copy = createPlace()
  copy.opened = place.opened
  for (const [name, { lines }] of place.logs) {
    const log = createSharedLog()
    for (const { record } of lines) log.write(JSON.stringify(record))
    copy.logs.set(name, log)
  }
  return copy
}
