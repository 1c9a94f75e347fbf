import { afterEach, describe, expect, it } from 'vitest'
import { openTeam } from '../journal/team-handle.ts'
import { refusalForModel } from '../prompts/refusals.ts'
import { openMemoryStore } from '../stores/memory/store.ts'
import { isRefusal } from '../team/refusal.ts'
import { heldBy, memberNamed, unreadOf } from '../team/state.ts'
import {
  type Compose,
  closeSupervisors,
  lastTurnText,
  type SupervisorHarness,
  supervisorHarness,
} from '../testing/harnesses/supervisor-harness.ts'
import { forceStop, overdueShutdowns, stopMember } from './shutdown/shutdown.ts'

afterEach(closeSupervisors)

const statusOf = ({ team }: SupervisorHarness, name: string) => memberNamed(team.state, name)?.status
const mailOfLead = ({ team }: SupervisorHarness) => unreadOf(team.state, 'lead').map(({ message }) => message)
const complete = (taskId: string) => ({ tool: 'TaskUpdate', input: { taskId, status: 'completed', result: 'done' } })

/** Completes the task it gets, then answers. */
const diligent: Compose = (request) => {
  const task = /<task id=\\"(\d+)\\">/.exec(lastTurnText(request))?.[1]
  return task ? { calls: [complete(task)] } : { text: 'Done.' }
}

describe('a teammate', () => {
  it('gets its spawn prompt, sends its result, and then an idle notice', async () => {
    const harness = await supervisorHarness(() => ({ text: 'I looked: all is well.' }))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Look around.' })
    await harness.until(() => harness.supervised.isIdle)
    expect(lastTurnText(harness.requestsOf('ada')[0]!)).toContain('Look around.')
    expect(mailOfLead(harness).map(({ type, content }) => [type, content])).toEqual([
      ['result', 'I looked: all is well.'],
      ['idle_notification', 'has nothing to do'],
    ])
    expect(statusOf(harness, 'ada')).toBe('idle')
  }) // B53, A71

  it('calls its model in another round of the event loop than teammates spawned with it', async () => {
    let round = 0
    const turn = () => {
      round++
      if (round < 1000) setImmediate(turn)
    }
    turn()
    const rounds = new Set<number>()
    const harness = await supervisorHarness(() => {
      rounds.add(round)
      return { text: 'Done.' }
    })
    await Promise.all(['ada', 'bob', 'cyd'].map((name) => harness.supervised.spawn({ name, prompt: 'Go.' })))
    await harness.until(() => harness.supervised.isIdle)
    expect(rounds.size).toBe(3)
  }) // B53

  it('makes no model call while it is idle, and is woken by a message', async () => {
    const harness = await supervisorHarness(() => ({ text: 'Here.' }))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    harness.clock.advance(86_400)
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.modelRequests).toHaveLength(1)
    await harness.team.send({ to: 'ada', content: 'Are you there?' }, { by: harness.lead })
    await harness.until(() => harness.modelRequests.length === 2 && harness.supervised.isIdle)
    expect(lastTurnText(harness.modelRequests[1]!)).toContain('Are you there?')
  }) // F3, F4, A73, B56, A74

  it('is woken by another process after a time of failing journal reads, which is reported once', async () => {
    const harness = await supervisorHarness(() => ({ text: 'Here.' }))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    const { refresh } = harness.team
    let failed = 0
    harness.team.refresh = async () => {
      failed++
      throw new Error('the server is away')
    }
    await using store = await openMemoryStore(harness.place)
    await using user = await openTeam(store, 'web', { clock: harness.clock })
    await user.send({ to: 'ada', content: 'Are you there?' })
    for (const times of [1, 2]) {
      await harness.until(() => failed === times)
      await harness.until(() => harness.clock.next !== undefined)
      harness.clock.advance(2)
    }
    await harness.until(() => failed === 3)
    harness.team.refresh = refresh
    await harness.until(() => harness.clock.next !== undefined)
    harness.clock.advance(2)
    await harness.until(() => harness.modelRequests.length === 2)
    expect(lastTurnText(harness.modelRequests[1]!)).toContain('Are you there?')
    const notes = harness.events.flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes).toEqual(['web: Error: the server is away'])
  })

  it('claims tasks of its role by itself, in order, as they become ready', async () => {
    const harness = await supervisorHarness(diligent)
    await harness.tasks(
      { subject: 'dig', role: 'dev' },
      { subject: 'plant', role: 'dev', blockedBy: ['1'] },
      { subject: 'taste', role: 'tester', blockedBy: ['2'] },
    )
    await harness.supervised.spawn({ name: 'ada', role: 'dev', prompt: 'Work.' })
    await harness.supervised.spawn({ name: 'bob', role: 'tester', prompt: 'Test.' })
    await harness.until(() => harness.team.state.tasks.get('3')?.status === 'completed')
    const owners = ['1', '2', '3'].map((id) => {
      const task = harness.team.state.tasks.get(id)!
      return task.status === 'completed' ? task.owner : task.status
    })
    expect(owners).toEqual(['ada', 'ada', 'bob'])
  }) // A78, A79, A80, B31, B56

  it('starts with its task claimed, or is not spawned at all', async () => {
    const harness = await supervisorHarness(diligent)
    await harness.tasks({ subject: 'dig' }, { subject: 'plant', blockedBy: ['1'] })
    const refused = await harness.supervised.spawn({ name: 'bob', prompt: 'Plant.', task: '2' })
    expect(refused).toMatchObject({ code: 'not_ready' })
    expect(memberNamed(harness.team.state, 'bob')).toBeUndefined()
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    expect(lastTurnText(harness.requestsOf('ada')[0]!)).toMatch(
      /Dig\..*You hold task 1: dig|You hold task 1: dig.*Dig\./,
    )
    expect(harness.team.state.tasks.get('1')?.status).toBe('completed')
  }) // B50

  it('is reminded of a task it still holds, and the task fails when that does not help', async () => {
    const harness = await supervisorHarness(() => ({ text: 'Hm.' }))
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.modelRequests).toHaveLength(3)
    expect(lastTurnText(harness.modelRequests[2]!)).toContain('you still hold task 1')
    expect(harness.team.state.tasks.get('1')).toMatchObject({ status: 'failed' })
    expect(mailOfLead(harness).some(({ type, content }) => type === 'error' && content.includes('Task 1'))).toBe(true)
  }) // F25, C67

  it.for([
    { spelling: 'team', tool: 'SendMessage' },
    { spelling: 'simple', tool: 'send_message' },
  ] as const)(
    'waits for an answer while it holds a task, and is reminded only when all agents are idle ($tool)',
    async ({ spelling, tool }) => {
      const harness = await supervisorHarness(
        (request) => {
          const words = lastTurnText(request)
          if (words.includes('still hold')) return { calls: [complete('1')] }
          if (words.includes('Paint.')) return { calls: [{ tool, input: { to: 'lead', content: 'Which colour?' } }] }
          return { text: 'I wait.' }
        },
        { spelling },
      )
      await harness.tasks({ subject: 'paint' })
      await harness.supervised.spawn({ name: 'ada', prompt: 'Paint.', task: '1' })
      await harness.until(() => harness.supervised.isIdle)
      expect(heldBy(harness.team.state, 'ada')?.id).toBe('1')
      expect(harness.modelRequests).toHaveLength(2)
      expect(harness.supervised.remind()).toBe(true)
      await harness.until(() => harness.supervised.isIdle)
      expect(harness.team.state.tasks.get('1')?.status).toBe('completed')
      expect(harness.supervised.remind()).toBe(false)
    },
  )

  it('is reminded at once of its task when its question could not be sent', async () => {
    const harness = await supervisorHarness((request) => {
      const words = lastTurnText(request)
      if (words.includes('still hold')) return { calls: [complete('1')] }
      if (words.includes('Paint.'))
        return { calls: [{ tool: 'SendMessage', input: { to: 'nemo', content: 'Which colour?' } }] }
      return { text: 'I wait.' }
    })
    await harness.tasks({ subject: 'paint' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Paint.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.team.state.tasks.get('1')?.status).toBe('completed')
  })

  it('interrupts its turn for urgent mail, and has it in its next model request', async () => {
    let isHanging = false
    const harness = await supervisorHarness((request, signal) => {
      if (request.turns.length > 1 || lastTurnText(request).includes('Stop')) return { text: 'I heard.' }
      isHanging = true
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Think hard.' })
    await harness.until(() => isHanging)
    await harness.team.send({ to: 'ada', content: 'Stop: wrong file.', extra: { urgent: true } }, { by: harness.lead })
    await harness.until(() => harness.supervised.isIdle)
    expect(lastTurnText(harness.modelRequests[1]!)).toContain('Stop: wrong file.')
    expect(harness.modelRequests).toHaveLength(2)
  })

  it('gets mail between two of its tool calls', async () => {
    const harness = await supervisorHarness(async (request) => {
      if (request.turns.length > 1) return { text: 'Done.' }
      await harness.team.send({ to: 'ada', content: 'By the way.' }, { by: harness.lead })
      return { calls: [{ tool: 'peek' }] }
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Peek.' })
    await harness.until(() => harness.supervised.isIdle)
    expect(JSON.stringify(harness.modelRequests[1]!.turns)).toContain('By the way.')
    expect(harness.modelRequests).toHaveLength(2)
  }) // G2, B57, B11, D7

  it('only reads until its plan is approved, for this task and this generation', async () => {
    const results: string[] = []
    const harness = await supervisorHarness((request) => {
      const words = lastTurnText(request)
      results.push(words)
      if (words.includes('Dig.')) return { calls: [{ tool: 'work' }, { tool: 'peek' }, complete('1')] }
      if (words.includes('Blocked') || words.includes('think again'))
        return { calls: [{ tool: 'SendMessage', input: { type: 'plan_approval_request', content: 'I dig.' } }] }
      if (words.includes('go ahead')) return { calls: [{ tool: 'work' }, complete('1')] }
      return { text: 'I wait.' }
    })
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1', requirePlan: true })
    await harness.until(() => harness.supervised.isIdle)
    expect(results[1]).toContain('Blocked: plan status is required')
    expect(results[1]).toContain('seen')
    expect(results[1]).not.toContain('changed')
    expect(statusOf(harness, 'ada')).toBe('waiting_approval')
    const denied = harness.events.filter((event) => event.type === 'tool_finished' && event.denied !== undefined)
    expect(denied, 'a call before the approval is no denial').toEqual([])
    expect(mailOfLead(harness).map(({ type }) => type)).toEqual(['plan_approval_request'])

    await harness.team.run(
      { type: 'request.answer', id: 'r1', approve: false, feedback: 'think again' },
      { by: harness.lead },
    )
    await harness.until(() => harness.supervised.isIdle && harness.team.state.requests.get('r2')?.state === 'pending')
    await harness.team.run(
      { type: 'request.answer', id: 'r2', approve: true, feedback: 'go ahead' },
      { by: harness.lead },
    )
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.team.state.tasks.get('1')?.status).toBe('completed')
  }) // B67, F27, B63
})

describe('several events at once in a supervised team', () => {
  it('a message that was taken and never acknowledged is delivered once, then the teammate is idle', async () => {
    const harness = await supervisorHarness(() => ({ text: 'Here.' }))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    await harness.supervised.parkAll('the run was interrupted')
    await harness.team.send({ to: 'ada', content: 'Read me.' }, { by: harness.lead })
    await harness.team.run({ type: 'member.lose', name: 'ada', reason: 'gone' }, { by: harness.lead })
    const taken = await harness.team.run({ type: 'mail.take', member: 'ada', taker: 'memory-gone' })
    expect(taken).toMatchObject({ mail: { messages: [{ content: 'Read me.' }] } })
    await harness.supervised.resume()
    await harness.until(() => harness.supervised.isIdle)
    expect(unreadOf(harness.team.state, 'ada')).toEqual([])
    expect(harness.modelRequests.filter((request) => lastTurnText(request).includes('Read me.'))).toHaveLength(1)
  }) // F2

  it('an urgent broadcast interrupts the turn of every teammate, not only of the first', async () => {
    const hanging = new Set<string>()
    const harness = await supervisorHarness((request, signal) => {
      if (JSON.stringify(request.turns).includes('Fire!')) return { text: 'I heard.' }
      hanging.add(request.agent)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    for (const name of ['ada', 'bob']) await harness.supervised.spawn({ name, prompt: 'Think.' })
    await harness.until(() => hanging.size === 2)
    await harness.team.send(
      { to: 'all', type: 'broadcast', content: 'Fire!', extra: { urgent: true } },
      { by: harness.lead },
    )
    await harness.until(() => harness.supervised.isIdle)
    for (const name of ['ada', 'bob']) expect(lastTurnText(harness.requestsOf(name).at(-1)!)).toContain('Fire!')
  })

  it('a line that another program wrote as urgent interrupts no turn', async () => {
    let isInterrupted = false
    const harness = await supervisorHarness((_, signal) => {
      signal.addEventListener('abort', () => {
        isInterrupted = true
      })
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Think.' })
    await harness.until(() => harness.modelRequests.length === 1)
    const message = { id: 'a1:0', type: 'message', from: 'ci', to: 'ada', content: 'Red!', timestamp: 1 } as const
    await harness.team.report(
      [{ type: 'external.received', archive: 'a1', offset: 0, end: 10, message: { ...message, urgent: true } }],
      { by: harness.lead },
    )
    expect(unreadOf(harness.team.state, 'ada').at(-1)).toMatchObject({ external: true, message: { urgent: true } })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isInterrupted).toBe(false)
  })

  it('a teammate that another process runs is not parked, and its shutdown is waited for', async () => {
    const harness = await supervisorHarness(() => ({ text: 'Here.' }))
    await using other = await openMemoryStore(harness.place)
    const { self: runtime } = other.presence
    await harness.tasks({ subject: 'dig' })
    await harness.team.run({ type: 'member.spawn', name: 'eve', role: 'eve', runtime, task: '1' }, { by: harness.lead })
    await harness.supervised.parkAll('the run was interrupted')
    expect(harness.team.state.tasks.get('1')).toMatchObject({ status: 'in_progress', owner: 'eve' })
    expect(harness.supervised.isIdle).toBe(true)
    await harness.team.run(
      { type: 'request.open', kind: 'shutdown', to: 'eve', content: 'Stop.' },
      { by: harness.lead },
    )
    expect(harness.supervised.isIdle).toBe(false)
    await harness.until(() => harness.clock.next !== undefined)
    harness.clock.advance(31)
    await harness.until(() => harness.supervised.isIdle)
    expect(statusOf(harness, 'eve')).toBe('stopped')
  })

  it('no replacement does the task of a teammate whose plan was not approved', async () => {
    const harness = await supervisorHarness(() => {
      throw new Error('the key is wrong')
    })
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1', requirePlan: true })
    await harness.until(() => mailOfLead(harness).length === 3 && harness.supervised.isIdle)
    expect(harness.team.state.tasks.get('1')?.status).toBe('pending')
    expect(mailOfLead(harness).at(-1)?.content).toContain('needs an approved plan')
    expect(mailOfLead(harness)[0]?.content).toMatch(/^ada was lost: .*Task 1 \(dig\) is free again\.$/)
  }) // F27

  it('every teammate has its task again when all are brought back at once', async () => {
    const compose: Compose = (request, signal) => {
      if (!isBack) return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return diligent(request, signal)
    }
    let isBack = false
    const before = await supervisorHarness(compose)
    await before.tasks({ subject: 'dig' }, { subject: 'plant' })
    await before.supervised.spawn({ name: 'ada', prompt: 'Wait.' })
    await before.until(() => before.modelRequests.length === 1)
    for (const [name, task] of [
      ['bob', '1'],
      ['cy', '2'],
    ] as const)
      await before.supervised.spawn({ name, prompt: 'Go.', task })
    await before.until(() => before.modelRequests.length === 3)
    await before.crash()
    isBack = true
    const after = await supervisorHarness(compose, { place: before.place })
    await after.supervised.resume()
    await after.until(() => after.supervised.isIdle)
    expect(['1', '2'].map((id) => after.team.state.tasks.get(id))).toMatchObject([{ owner: 'bob' }, { owner: 'cy' }])
  }) // F24

  it('no teammate is brought back once the run is over', async () => {
    const harness = await supervisorHarness(() => {
      throw new Error('overloaded')
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.' })
    await harness.until(() => harness.modelRequests.length > 0)
    await harness.supervised.parkAll('the run was interrupted')
    const asked = harness.modelRequests.length
    harness.clock.advance(500)
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    expect(harness.modelRequests).toHaveLength(asked)
    expect(harness.supervised.isIdle).toBe(true)
  }) // F38
})

describe('a shutdown request', () => {
  it('is answered at once, without a model call, by an idle teammate that owes nothing', async () => {
    const harness = await supervisorHarness(() => ({ text: 'Here.' }), { uncommitted: async () => 0 })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    await harness.team.run(
      { type: 'request.open', kind: 'shutdown', to: 'ada', content: 'We are done.' },
      { by: harness.lead },
    )
    await harness.until(() => statusOf(harness, 'ada') === 'stopped')
    expect(harness.modelRequests).toHaveLength(1)
    expect(harness.team.state.requests.get('r1')).toMatchObject({
      state: 'approved',
      status: 'clean',
      artifactsCommitted: true,
    })
    expect(mailOfLead(harness).map(({ type }) => type)).toContain('shutdown_response')
  }) // A81, A83, F30, G6

  it('reaches a working teammate, which refuses and continues, or agrees and reports what it leaves', async () => {
    let answers = 0
    const harness = await supervisorHarness(
      (request) => {
        const words = lastTurnText(request)
        const request_id = /request_id=\\"(r\d+)/.exec(words)?.[1]
        if (!request_id) return { text: 'Working on.' }
        answers++
        const reply =
          answers === 1
            ? { approve: false, reason: 'not yet' }
            : { approve: true, status: 'in_progress', pending_work: ['the docs'], artifacts_committed: true }
        return {
          calls: [{ tool: 'SendMessage', input: { type: 'shutdown_response', to: 'lead', request_id, ...reply } }],
        }
      },
      { uncommitted: async () => 2 },
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.team.run(
      { type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' },
      { by: harness.lead },
    )
    await harness.until(() => harness.team.state.requests.get('r1')?.state === 'rejected')
    expect(statusOf(harness, 'ada')).not.toBe('stopped')
    await harness.team.run({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Now.' }, { by: harness.lead })
    await harness.until(() => statusOf(harness, 'ada') === 'stopped')
    expect(harness.team.state.deviations.get().map(({ text }) => text)).toEqual([
      'the docs',
      'stopped while it held the task (dig)',
      'said that all is committed, but 2 changed files are not',
    ])
    expect(harness.team.state.tasks.get('1')?.status).toBe('pending')
  }) // B22, C20, F11, F30

  it('does not wait for a teammate that does not answer', async () => {
    const harness = await supervisorHarness(
      (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.modelRequests.length === 1)
    await harness.team.run(
      { type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' },
      { by: harness.lead },
    )
    harness.clock.advance(29)
    await harness.until(() => statusOf(harness, 'ada') === 'working')
    harness.clock.advance(2)
    await harness.until(() => statusOf(harness, 'ada') === 'stopped')
    expect(harness.team.state.requests.get('r1')?.state).toBe('timed_out')
    expect(
      harness.events.some(
        (event) => event.type === 'note' && event.text === '[SHUTDOWN] Timeout: ada did not respond within 30s.',
      ),
    ).toBe(true)
    expect(harness.team.state.tasks.get('1')?.status).toBe('pending')
    expect(harness.team.state.deviations.get()).toHaveLength(1)
  }) // C21, C22

  it('is not reported as unanswered for a teammate that agreed and still ran at the deadline', async () => {
    const harness = await supervisorHarness(
      (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.modelRequests.length === 1)
    const { team, lead } = harness
    await team.run({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' }, { by: lead })
    const ada = { name: 'ada', generation: 1, epoch: lead.epoch! }
    await team.run({ type: 'request.answer', id: 'r1', approve: true, pendingWork: ['the roof'] }, { by: ada })
    harness.clock.advance(31)
    await harness.until(() => statusOf(harness, 'ada') === 'stopped')
    const notes = harness.events.flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes).toEqual(['[SHUTDOWN] Timeout: ada agreed to stop, but still ran after 30s.'])
    expect(team.state.deviations.get().map(({ text }) => text)).toEqual([
      'the roof',
      'stopped while it held the task (dig)',
    ])
    expect(mailOfLead(harness).map(({ content }) => content)).not.toContainEqual(
      expect.stringContaining('did not answer'),
    )
  }) // C20, C21

  it('that an earlier generation agreed to does not stop the next one', async () => {
    const hanging: Compose = (_, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const before = await supervisorHarness(hanging)
    await before.supervised.spawn({ name: 'ada', prompt: 'Dig.' })
    await before.until(() => before.modelRequests.length === 1)
    await before.team.run({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' }, { by: before.lead })
    const ada = { name: 'ada', generation: 1, epoch: before.lead.epoch! }
    await before.team.run({ type: 'request.answer', id: 'r1', approve: true, pendingWork: ['the roof'] }, { by: ada })
    await before.crash()

    const after = await supervisorHarness(() => ({ text: 'Here.' }), { place: before.place })
    expect(await after.supervised.resume()).toEqual(['ada'])
    await after.until(() => after.supervised.isIdle)
    after.clock.advance(60)
    await after.until(() => after.supervised.isIdle && statusOf(after, 'ada') === 'idle')
    const stale = after.team.state.requests.get('r1')!
    expect(stale.state).toBe('approved')
    expect(overdueShutdowns(after.team.state, after.clock.now() + 1000)).toEqual([])
    await forceStop(after.context, { team: after.team, by: after.lead }, stale)
    expect(statusOf(after, 'ada')).toBe('idle')
    const again = { ...ada, generation: 2, epoch: after.lead.epoch! }
    await stopMember(after.context, { team: after.team, by: after.lead }, again)
    expect(after.team.state.deviations.get(), 'what the earlier life left is not left by this one').toEqual([])
  }) // F14, G5

  it('is reported to the lead when it was not answered in time', async () => {
    const harness = await supervisorHarness(
      (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      { uncommitted: async () => 2 },
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.modelRequests.length === 1)
    const request = { type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' } as const
    await harness.team.run(request, { by: harness.lead })
    harness.clock.advance(31)
    await harness.until(() => mailOfLead(harness).some(({ type }) => type === 'shutdown_response'))
    const { content } = mailOfLead(harness).find(({ type }) => type === 'shutdown_response')!
    expect(content).toContain('ada did not answer within 30 s and was stopped by force')
    expect(content).toContain('task 1 (dig), which it held, is free again')
    expect(content).toContain('uncommitted files: 2')
  }) // T26
})

/** The context that the steps of a shutdown need. */

describe('the loss of a teammate', () => {
  const failing: Compose = () => {
    throw new Error('the key is wrong')
  }

  it('is reported and the teammate brought back; after a second loss a replacement does the task', async () => {
    const harness = await supervisorHarness(failing)
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.team.state.tasks.get('1')?.status === 'completed')
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.team.state.tasks.get('1')).toMatchObject({ owner: 'ada-errand', result: 'done by a replacement' })
    expect(harness.team.state.breaker.get().state, 'one agent says nothing about the others').toBe('closed')
    const notes = harness.events.flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes).toEqual([
      '[HEALTH] Agent ada disappeared: the key is wrong',
      '[HEALTH] Agent ada disappeared: the key is wrong',
      '[FALLBACK] the key is wrong: switching from teammate to task for ada',
    ])
    expect(mailOfLead(harness).filter(({ type }) => type === 'error')).toHaveLength(2)
    const refused = await harness.supervised.spawn({ name: 'ada', prompt: 'Help.' })
    expect(isRefusal(refused) && refusalForModel(refused)).toContain('Task without a name')
    await harness.supervised.spawn({ name: 'bob', prompt: 'Help.' })
    await harness.until(() => harness.team.state.breaker.get().state === 'open')
    const eve = await harness.supervised.spawn({ name: 'eve', prompt: 'Help.' })
    expect(isRefusal(eve) && refusalForModel(eve)).toContain('circuit breaker is open')
  }) // F35, B66, C57, C58, C65, C68, A76, C59, C62, T34

  it('lets a replacement do a task that is assigned to the lost teammate', async () => {
    const harness = await supervisorHarness(() => {
      if (harness.modelRequests.length > 1) throw new Error('the key is wrong')
      return { text: 'Here.' }
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Wait.' })
    await harness.until(() => memberNamed(harness.team.state, 'ada')?.status === 'idle')
    await harness.tasks({ subject: 'dig', assignee: 'ada' })
    await harness.until(() => harness.team.state.tasks.get('1')?.status === 'completed')
    expect(harness.team.state.tasks.get('1')).toMatchObject({ owner: 'ada-errand', assignee: 'ada' })
  }) // C57, C58

  it('takes no other teammate with it when the task is what makes agents fail', async () => {
    const harness = await supervisorHarness((request, signal) => {
      if (/<task id=\\"1\\">|hold task 1\b/.test(lastTurnText(request))) throw new Error('the model is gone')
      return diligent(request, signal)
    })
    for (const name of ['ada', 'bob', 'cyd', 'dan']) await harness.supervised.spawn({ name, prompt: 'Help.' })
    await harness.until(() => harness.supervised.isIdle)
    await harness.tasks({ subject: 'dig' })
    await harness.until(() => harness.team.state.tasks.get('1')?.status === 'completed')
    await harness.until(() => harness.supervised.isIdle)
    const { owner, ended } = harness.team.state.tasks.get('1') as { owner: string; ended: { owner: string }[] }
    expect(ended.map((attempt) => attempt.owner)).toEqual([ended[0]!.owner, ended[0]!.owner])
    expect(owner).toBe(`${ended[0]!.owner}-errand`)
    expect(harness.team.state.breaker.get().state).toBe('closed')
  }) // C58, C65, C68

  it('lets the replacement wait while another claim reserves the files of the task', async () => {
    const harness = await supervisorHarness(failing)
    const { team } = harness
    await harness.tasks({ subject: 'dig', files: ['a.ts'] }, { subject: 'fill', files: ['a.ts'], role: 'script' })
    await team.run({ type: 'member.join', name: 'script', role: 'script' })
    const by = { name: 'script', generation: 1 }
    team.watch(({ events }) => {
      if (events.some((event) => event.type === 'member.lost' && event.generation === 2))
        void team.run({ type: 'task.claim', id: '2' }, { by })
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => heldBy(team.state, 'script') !== undefined && harness.supervised.isIdle)
    expect(team.state.tasks.get('1')).toMatchObject({ status: 'pending', attempts: 2 })
    await team.run({ type: 'task.complete', id: '2' }, { by })
    await harness.until(() => team.state.tasks.get('1')?.status === 'completed' && harness.supervised.isIdle)
    expect(team.state.tasks.get('1')).toMatchObject({ owner: 'ada-errand', attempts: 3 })
  }) // C58

  it('brings no teammate back while the run is ending', async () => {
    let letGo = () => {}
    const isPutAway = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let isLeaving = false
    const onAgentClosed = () => {
      isLeaving = true
      return isPutAway
    }
    const harness = await supervisorHarness(failing, { onAgentClosed })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.' })
    await harness.until(() => isLeaving)
    const halting = harness.supervised.parkAll('the run was interrupted')
    letGo()
    await halting
    expect(memberNamed(harness.team.state, 'ada')).toMatchObject({ generation: 1, status: 'lost' })
    expect(harness.modelRequests).toHaveLength(1)
  })

  it('fails the task when the replacement fails too', async () => {
    const harness = await supervisorHarness(failing, {
      runInPlaceOf: async () => ({ text: '', problem: 'the key is wrong' }),
    })
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.team.state.tasks.get('1')?.status === 'failed')
    expect(harness.team.state.tasks.get('1')).toMatchObject({
      reason: expect.stringContaining('the subagent in its place failed too'),
    })
    const notes = harness.events.flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes).toContain('[FALLBACK] the key is wrong: switching from task to no agent for ada')
  }) // C60

  it('leaves no task completed that its replacement did not complete itself, and records its text', async () => {
    const runInPlaceOf = async () => ({ text: 'I could not do it: nothing was changed.' })
    const harness = await supervisorHarness(failing, { runInPlaceOf })
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.team.state.tasks.get('1')?.status === 'failed')
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.team.state.tasks.get('1')).toMatchObject({
      reason: expect.stringContaining('I could not do it: nothing was changed.'),
    })
    expect(mailOfLead(harness).at(-1)?.content).toContain('I could not do it: nothing was changed.')
    expect(statusOf(harness, 'ada-errand')).toBe('stopped')
  }) // T23

  it('closes the breaker when a teammate that is tried after the pause works', async () => {
    let isBroken = true
    const harness = await supervisorHarness((request, signal) =>
      isBroken ? failing(request, signal) : diligent(request, signal),
    )
    for (const name of ['ada', 'bob']) await harness.supervised.spawn({ name, prompt: 'Dig.' })
    await harness.until(() => harness.team.state.breaker.get().state === 'open' && harness.supervised.isIdle)
    isBroken = false
    harness.clock.advance(121)
    await harness.until(() => harness.team.state.breaker.get().state === 'closed')
    await harness.until(() => statusOf(harness, 'ada') === 'idle' || statusOf(harness, 'bob') === 'idle')
  }) // C68, F49

  it('while the breaker is open is followed by a try after a pause from then on', async () => {
    const isBroken: Record<string, boolean> = { ada: true, bob: true }
    const harness = await supervisorHarness((request, signal) =>
      isBroken[request.agent] ? failing(request, signal) : diligent(request, signal),
    )
    for (const name of ['cyd', 'ada', 'bob']) await harness.supervised.spawn({ name, prompt: 'Dig.' })
    await harness.until(() => harness.team.state.breaker.get().state === 'open' && harness.supervised.isIdle)
    harness.clock.advance(60)
    isBroken.cyd = true
    await harness.team.send({ to: 'cyd', content: 'And now?' }, { by: harness.lead })
    await harness.until(() => statusOf(harness, 'cyd') === 'lost' && harness.supervised.isIdle)
    isBroken.ada = isBroken.bob = isBroken.cyd = false
    const before = harness.modelRequests.length
    harness.clock.advance(119)
    await new Promise((resolve) => setImmediate(resolve))
    expect(harness.modelRequests).toHaveLength(before)
    harness.clock.advance(1)
    await harness.until(() => harness.team.state.breaker.get().state === 'closed')
  }) // C68

  it('that repeats is followed by another try after the pause', async () => {
    let isBroken = true
    const harness = await supervisorHarness((request, signal) =>
      isBroken ? failing(request, signal) : diligent(request, signal),
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.' })
    await harness.until(() => harness.modelRequests.length === 2 && harness.supervised.isIdle)
    expect(statusOf(harness, 'ada')).toBe('lost')
    isBroken = false
    harness.clock.advance(121)
    await harness.until(() => statusOf(harness, 'ada') === 'idle')
  }) // T34

  it('is also declared after too long a silence with a task in hand', async () => {
    const harness = await supervisorHarness((request, signal) =>
      harness.modelRequests.length > 1
        ? diligent(request, signal)
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.modelRequests.length === 1)
    harness.clock.advance(901)
    await harness.until(() => harness.team.state.tasks.get('1')?.status === 'completed')
    expect(harness.team.state.tasks.get('1')).toMatchObject({ owner: 'ada', attempts: 2 })
  }) // F46
})

describe('a finished team', () => {
  it('does not wait for a silent model after the last task has ended', async () => {
    const harness = await supervisorHarness((request, signal) =>
      harness.modelRequests.length > 1
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        : diligent(request, signal),
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.modelRequests.length === 2)
    harness.clock.advance(29)
    await harness.until(() => statusOf(harness, 'ada') === 'working')
    harness.clock.advance(2)
    await harness.until(() => harness.supervised.isIdle)
    expect(statusOf(harness, 'ada')).toBe('idle')
    expect(harness.team.state.tasks.get('1')?.status).toBe('completed')
    const notes = harness.events.flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes).toEqual(['ada was not waited for: its team is finished.'])
  }) // T54

  it('has no open task: a team with one waits for its teammates', async () => {
    const harness = await supervisorHarness((request, signal) =>
      harness.modelRequests.length > 1
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        : diligent(request, signal),
    )
    await harness.tasks({ subject: 'dig' }, { subject: 'plant', role: 'gardener' })
    await harness.supervised.spawn({ name: 'ada', role: 'dev', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.modelRequests.length === 2)
    harness.clock.advance(120)
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
    expect([harness.supervised.isIdle, statusOf(harness, 'ada')]).toEqual([false, 'working'])
  }) // T54
})

describe('a run that waits for nothing but silent models', () => {
  const silent = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const settle = async () => {
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  const problems = (harness: SupervisorHarness) =>
    harness.events.flatMap((event) => (event.type === 'problem' ? event.text : []))

  it('parks a teammate that answers a message after 120 s of silence and names it', async () => {
    const harness = await supervisorHarness((_, signal) => silent(signal))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Find the bug.' })
    await harness.until(() => harness.modelRequests.length === 1 && statusOf(harness, 'ada') === 'working')
    harness.clock.advance(119)
    await settle()
    expect([harness.supervised.isIdle, problems(harness)]).toEqual([false, []])
    harness.clock.advance(2)
    await harness.until(() => harness.supervised.isIdle)
    expect(problems(harness)).toEqual([expect.stringMatching(/^ada was parked in the middle of an answer.*120 s/)])
    expect(harness.modelRequests).toHaveLength(1)
  }) // T54

  it('lets a parked teammate continue with the message it was answering, delivered once', async () => {
    let isSilent = true
    const harness = await supervisorHarness((_, signal) => (isSilent ? silent(signal) : { text: 'It is in line 3.' }))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Find the bug.' })
    await harness.until(() => harness.modelRequests.length === 1 && statusOf(harness, 'ada') === 'working')
    harness.clock.advance(121)
    await harness.until(() => harness.supervised.isIdle)
    isSilent = false
    expect(await harness.supervised.resume()).toEqual(['ada'])
    await harness.until(() => harness.supervised.isIdle)
    expect(JSON.stringify(harness.modelRequests.at(-1)!.turns).match(/Find the bug/g)).toHaveLength(1)
    const results = mailOfLead(harness).filter(({ type }) => type === 'result')
    expect(results.map(({ content }) => content)).toEqual(['It is in line 3.'])
  }) // T54

  it('parks a teammate that got a question after its task, and keeps the question', async () => {
    const harness = await supervisorHarness(async (request, signal) => {
      if (harness.modelRequests.length > 1) return silent(signal)
      const said = await diligent(request, signal)
      await harness.team.send({ to: 'ada', content: 'Which spade?' }, { by: harness.lead })
      return said
    })
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.modelRequests.length === 2 && statusOf(harness, 'ada') === 'working')
    expect(JSON.stringify(harness.modelRequests[1]!.turns)).toContain('Which spade?')
    harness.clock.advance(60)
    await settle()
    expect(harness.supervised.isIdle).toBe(false)
    harness.clock.advance(61)
    await harness.until(() => harness.supervised.isIdle)
    expect(problems(harness)).toHaveLength(1)
  }) // T54

  it('waits while the model of another teammate still answers', async () => {
    let speak = () => {}
    const harness = await supervisorHarness((request, signal) => {
      if (request.agent === 'ada') return silent(signal)
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        speak = () => resolve({ calls: [{ tool: 'peek' }] })
      })
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Find the bug.' })
    await harness.until(() => harness.modelRequests.length === 1 && statusOf(harness, 'ada') === 'working')
    harness.clock.advance(100)
    await harness.supervised.spawn({ name: 'bob', prompt: 'Find another.' })
    await harness.until(() => harness.requestsOf('bob').length === 1 && statusOf(harness, 'bob') === 'working')
    harness.clock.advance(60)
    speak()
    await harness.until(() => harness.requestsOf('bob').length === 2)
    harness.clock.advance(60)
    await settle()
    expect([statusOf(harness, 'ada'), problems(harness)]).toEqual(['working', []])
  }) // T54
})

describe('a supervised team that is resumed', () => {
  it('brings every teammate back with conversation, claim and mail; idle ones make no model call', async () => {
    let isHanging = true
    const compose: Compose = (request, signal) => {
      if (request.agent === 'bob') return { text: 'Here.' }
      if (isHanging) return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return diligent(request, signal)
    }
    const before = await supervisorHarness(compose)
    await before.tasks({ subject: 'dig' })
    await before.supervised.spawn({ name: 'ada', role: 'dev', prompt: 'Dig.', task: '1' })
    await before.supervised.spawn({ name: 'bob', role: 'dev', prompt: 'Wait.' })
    await before.until(() => before.requestsOf('ada').length === 1 && statusOf(before, 'bob') === 'idle')
    await before.team.send({ to: 'ada', content: 'Mind the roses.' }, { by: before.lead })
    await before.crash()

    isHanging = false
    const after = await supervisorHarness(compose, { place: before.place })
    expect(await after.supervised.resume()).toEqual(['ada', 'bob'])
    await after.until(() => after.supervised.isIdle)
    expect(after.requestsOf('bob')).toHaveLength(0)
    const idle = mailOfLead(after).filter(({ type, from }) => type === 'idle_notification' && from === 'bob')
    expect(idle, 'an idle notice is given once').toHaveLength(1)
    const turns = JSON.stringify(after.requestsOf('ada')[0]!.turns)
    expect(turns.match(/Dig\./g)).toHaveLength(1)
    expect(turns.match(/Mind the roses\./g)).toHaveLength(1)
    expect(turns).toContain('You still hold task 1: dig')
    expect(after.team.state.tasks.get('1')).toMatchObject({ status: 'completed', owner: 'ada', attempts: 2 })
  }) // F24, F33, F38, B66, C67

  it('submits an unanswered plan again for the new generation', async () => {
    const compose: Compose = (request) =>
      request.turns.length === 1
        ? { calls: [{ tool: 'SendMessage', input: { type: 'plan_approval_request', content: 'I dig.' } }] }
        : { text: 'I wait.' }
    const before = await supervisorHarness(compose)
    await before.tasks({ subject: 'dig' })
    await before.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1', requirePlan: true })
    await before.until(() => statusOf(before, 'ada') === 'waiting_approval')
    await before.crash()
    const after = await supervisorHarness(compose, { place: before.place })
    await after.supervised.resume()
    await after.until(() => after.supervised.isIdle)
    const pending = [...after.team.state.requests.values()].filter(({ state }) => state === 'pending')
    expect(pending).toMatchObject([
      { kind: 'plan_approval', from: 'ada', content: 'I dig.', assignment: { task: '1', attempt: 2 } },
    ])
  }) // B68, F28
})
