import { afterEach, describe, expect, it } from 'vitest'
import { Superseded } from '../journal/log/store-errors.ts'
import { memberNamed, unreadOf } from '../team/state.ts'
import {
  type Compose,
  closeSupervisors,
  lastTurnText,
  neverAnswers,
  type SupervisorHarness,
  supervisorHarness,
} from '../testing/harnesses/supervisor-harness.ts'

afterEach(closeSupervisors)

/** Also records each status and each health transition of ada. */
async function recordingHarness(...options: Parameters<typeof supervisorHarness>) {
  const harness = await supervisorHarness(...options)
  const states: string[] = []
  const health: string[] = []
  harness.team.watch(({ events }) => {
    const status = memberNamed(harness.team.state, 'ada')?.status
    if (status !== undefined && status !== states.at(-1)) states.push(status)
    for (const event of events)
      if (event.type === 'agent.health')
        health.push(`${event.previous} → ${event.state}${event.timeoutTriggered ? ' (silence)' : ''}`)
  })
  return { ...harness, states, health }
}

const statusOf = ({ team }: SupervisorHarness, name = 'ada') => memberNamed(team.state, name)?.status
const handIn = { calls: [{ tool: 'SendMessage', input: { type: 'plan_approval_request', content: 'I dig.' } }] }
const complete = { calls: [{ tool: 'TaskUpdate', input: { taskId: '1', status: 'completed', result: 'dug' } }] }
const askToStop = ({ team, lead }: SupervisorHarness) =>
  team.run({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' }, { by: lead })

/** Agrees to stop as soon as it hears that it should. */
function agreeing(compose: Compose): Compose {
  return (request, signal) => {
    const request_id = /type=\\"shutdown_request\\" request_id=\\"(r\d+)/.exec(lastTurnText(request))?.[1]
    if (!request_id) return compose(request, signal)
    const input = { type: 'shutdown_response', to: 'lead', request_id, approve: true, status: 'clean' }
    return { calls: [{ tool: 'SendMessage', input }] }
  }
}

describe('the lifecycle of a teammate', () => {
  it('goes from spawn through work and idleness to its end, and its health is recorded', async () => {
    const harness = await recordingHarness(() => ({ text: 'Here.' }))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    await harness.team.send({ to: 'ada', content: 'And now?' }, { by: harness.lead })
    await harness.until(() => harness.modelRequests.length === 2 && harness.supervised.isIdle)
    await askToStop(harness)
    await harness.until(() => statusOf(harness) === 'stopped' && harness.health.length === 6)
    expect(harness.states).toEqual(['starting', 'working', 'idle', 'working', 'idle', 'stopping', 'stopped'])
    expect(harness.health).toEqual([
      'null → start',
      'start → working',
      'working → idle',
      'idle → working',
      'working → idle',
      'idle → stop',
    ])
  }) // B4, C63, C64

  it('includes waiting for approval, and a stopped teammate gets no mail', async () => {
    const harness = await recordingHarness((request) =>
      lastTurnText(request).includes('go ahead') ? complete : request.turns.length === 1 ? handIn : { text: 'I wait.' },
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1', requirePlan: true })
    await harness.until(() => statusOf(harness) === 'waiting_approval' && harness.supervised.isIdle)
    const yes = { type: 'request.answer', id: 'r1', approve: true, feedback: 'go ahead' } as const
    await harness.team.run(yes, { by: harness.lead })
    await harness.until(() => statusOf(harness) === 'idle' && harness.supervised.isIdle)
    await askToStop(harness)
    await harness.until(() => statusOf(harness) === 'stopped')
    const before = ['starting', 'working', 'waiting_approval', 'working', 'idle']
    expect(harness.states).toEqual([...before, 'stopping', 'stopped'])
    const sent = await harness.team.send({ to: 'ada', content: 'Still there?' }, { by: harness.lead })
    expect(sent).toMatchObject({ code: 'member_stopped' })
  }) // B51

  it('does not end in silence while it works; a teammate that vanished is brought back', async () => {
    const harness = await recordingHarness((request, signal) =>
      harness.modelRequests.length === 1 ? neverAnswers(request, signal) : { text: 'Here again.' },
    )
    // Something is left to wait for, so that nothing but the stall ends the call.
    await harness.tasks({ subject: 'plant', role: 'gardener' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Think.' })
    await harness.until(() => statusOf(harness) === 'working')
    harness.clock.advance(899)
    await new Promise((resolve) => setImmediate(resolve))
    expect(statusOf(harness)).toBe('working')
    harness.clock.advance(2)
    await harness.until(() => statusOf(harness) === 'idle')
    expect(harness.health).toEqual([
      'null → start',
      'start → working',
      'working → disappeared (silence)',
      'disappeared → start',
      'start → working',
      'working → idle',
    ])
  }) // C66

  it('continues after a loss although not everything could be written, and that is reported', async () => {
    let isFull = true
    const harness = await recordingHarness(
      () => {
        if (harness.modelRequests.length === 1) throw new Error('the provider is gone')
        isFull = false
        return { text: 'Here again.' }
      },
      {
        async onAgentClosed() {
          if (isFull) throw new Error('no space left')
        },
      },
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Think.' })
    await harness.until(() => statusOf(harness) === 'idle')
    expect(harness.health).toContain('disappeared → start')
    const notes = harness.events.flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes).toContain('Error: no space left')
  }) // F37

  it('delivers the resume notice although urgent mail interrupts the turn that holds it', async () => {
    let isUrgentDue = false
    const harness = await recordingHarness(
      (request) => {
        isUrgentDue = harness.modelRequests.length === 1
        if (isUrgentDue) throw new Error('the provider is gone')
        return lastTurnText(request).includes('<task') ? complete : { text: 'Here again.' }
      },
      {
        async beforeInput() {
          if (!isUrgentDue) return
          isUrgentDue = false
          await harness.team.send(
            { to: 'ada', content: 'Mind the roses!', extra: { urgent: true } },
            { by: harness.lead },
          )
        },
      },
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.team.state.tasks.get('1')?.status === 'completed')
    const turns = JSON.stringify(harness.modelRequests[1]!.turns)
    expect(turns).toContain('you were brought back')
    expect(turns).toContain('Mind the roses!')
  }) // F24

  it('announces a task again when urgent mail interrupted the turn that announced it', async () => {
    let isUrgentDue = true
    const harness = await recordingHarness(
      (request) => (lastTurnText(request).includes('<task') ? complete : { text: 'Done.' }),
      {
        async beforeInput() {
          if (!isUrgentDue) return
          isUrgentDue = false
          await harness.team.send({ to: 'ada', content: 'Mind it!', extra: { urgent: true } }, { by: harness.lead })
        },
      },
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    const first = lastTurnText(harness.modelRequests[0]!)
    expect(first).toContain('Mind it!')
    expect(first).toContain('You hold task 1: dig')
    expect(harness.modelRequests).toHaveLength(2)
  }) // F24

  it('does not interrupt the turn for which urgent mail woke an idle teammate', async () => {
    let inputs = 0
    const harness = await recordingHarness(() => ({ text: 'Here.' }), {
      async beforeInput() {
        inputs++
        // Any change of the team while the urgent mail is still unread.
        await harness.tasks({ subject: `dig ${inputs}`, role: 'digger' })
      },
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    inputs = 0
    await harness.team.send({ to: 'ada', content: 'Fire!', extra: { urgent: true } }, { by: harness.lead })
    await harness.until(() => harness.modelRequests.length === 2 && harness.supervised.isIdle)
    // One with the mail, and one after the answer.
    expect(inputs).toBe(2)
  })

  it('does not interrupt the first turn of a teammate that is brought back to urgent mail', async () => {
    let inputs = 0
    const harness = await recordingHarness(() => ({ text: 'Here.' }), {
      async beforeInput() {
        inputs++
        await harness.tasks({ subject: `dig ${inputs}`, role: 'digger' })
      },
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    await harness.supervised.parkAll('the run was interrupted')
    inputs = 0
    await harness.team.send({ to: 'ada', content: 'Fire!', extra: { urgent: true } }, { by: harness.lead })
    await harness.supervised.resume()
    await harness.until(() => harness.modelRequests.length === 2 && harness.supervised.isIdle)
    expect(inputs).toBe(2)
  })

  it('reports once that a teammate works, however many tasks it does in a row', async () => {
    const harness = await recordingHarness((request) => {
      const taskId = /<task id=\\"(\d+)\\">/.exec(lastTurnText(request))?.[1]
      if (!taskId) return { text: 'Done.' }
      return { calls: [{ tool: 'TaskUpdate', input: { taskId, status: 'completed', result: 'dug' } }] }
    })
    const reported: string[] = []
    harness.team.watch(({ events }) => {
      for (const event of events) if (event.type === 'member.activity') reported.push(event.status)
    })
    await harness.tasks({ subject: 'dig' }, { subject: 'plant' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await harness.until(() => harness.supervised.isIdle && harness.team.state.tasks.get('2')?.status === 'completed')
    expect(reported).toEqual(['working', 'idle'])
  })

  it('gives a teammate no further input once it agreed to stop', async () => {
    let inputs = 0
    const harness = await recordingHarness(
      () => (harness.modelRequests.length === 1 ? { calls: [{ tool: 'peek' }] } : { text: 'Too late.' }),
      {
        async beforeInput() {
          if (++inputs !== 2) return
          await askToStop(harness)
          const by = { name: 'ada', generation: 1, epoch: harness.lead.epoch! }
          await harness.team.run({ type: 'request.answer', id: 'r1', approve: true, status: 'clean' }, { by })
        },
      },
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Look.' })
    await harness.until(() => statusOf(harness) === 'stopped')
    expect(harness.modelRequests).toHaveLength(1)
  })

  it('ends without a loss when another process has taken the teammate over', async () => {
    const harness = await recordingHarness(() => ({ text: 'Here.' }), {
      async beforeInput() {
        throw new Superseded('another process runs ada')
      },
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.states).not.toContain('lost')
    expect(memberNamed(harness.team.state, 'ada')?.generation).toBe(1)
  })

  it('sends an idle notice after the work of a teammate that was brought back', async () => {
    const harness = await recordingHarness(() => {
      if (harness.modelRequests.length === 1) throw new Error('the provider is gone')
      return { text: 'Here again.' }
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Think.' })
    await harness.until(() => statusOf(harness) === 'idle')
    const types = unreadOf(harness.team.state, 'lead').map(({ message }) => message.type)
    expect(types.slice(-2)).toEqual(['result', 'idle_notification'])
  })

  it('sends no reminder once a limit of the run is reached', async () => {
    const harness = await recordingHarness((request) =>
      lastTurnText(request).includes('<task')
        ? { calls: [{ tool: 'SendMessage', input: { to: 'lead', content: 'How deep?' } }] }
        : { text: 'I wait.' },
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    Object.assign(harness.context.limits, { turns: 0 })
    expect(harness.supervised.remind()).toBe(false)
    Object.assign(harness.context.limits, { turns: undefined })
    expect(harness.supervised.remind()).toBe(true)
  }) // T22

  it('continues for an idle teammate when a task is assigned to it, and no other claims that', async () => {
    const harness = await recordingHarness((request) =>
      lastTurnText(request).includes('<task') && request.agent === 'bob' ? complete : { text: 'Here.' },
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.supervised.spawn({ name: 'bob', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    await harness.tasks({ subject: 'dig', assignee: 'bob' })
    await harness.until(() => harness.supervised.isIdle && harness.team.state.tasks.get('1')?.status === 'completed')
    expect(harness.team.state.tasks.get('1')).toMatchObject({ owner: 'bob' })
    expect(harness.requestsOf('ada')).toHaveLength(1)
  }) // B56

  it('ends by itself only where an idle time-out is set, and never while it holds a task', async () => {
    const compose: Compose = (request) =>
      lastTurnText(request).includes('<task')
        ? { calls: [{ tool: 'SendMessage', input: { to: 'lead', content: 'How deep?' } }] }
        : { text: 'Here.' }
    const harness = await recordingHarness(compose, { settings: { idle: 60 } })
    await harness.tasks({ subject: 'dig', role: 'digger' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.supervised.spawn({ name: 'bob', role: 'digger', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    harness.clock.advance(59)
    await new Promise((resolve) => setImmediate(resolve))
    expect(statusOf(harness)).toBe('idle')
    harness.clock.advance(2)
    await harness.until(() => statusOf(harness) === 'stopped')
    expect(statusOf(harness, 'bob')).toBe('idle')
    expect(harness.team.state.tasks.get('1')?.status).toBe('in_progress')
  }) // B27

  it('counts the idle time-out from the end of its last turn', async () => {
    const harness = await recordingHarness(() => ({ text: 'Here.' }), { settings: { idle: 60 } })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    harness.clock.advance(50)
    await harness.team.send({ to: 'ada', content: 'Still there?' }, { by: harness.lead })
    await harness.until(() => harness.modelRequests.length === 2 && harness.supervised.isIdle)
    harness.clock.advance(50)
    for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve))
    expect(statusOf(harness)).toBe('idle')
    harness.clock.advance(11)
    await harness.until(() => statusOf(harness) === 'stopped')
  }) // B27

  it('takes as many model calls as it needs, until the first answer without tool calls', async () => {
    const harness = await recordingHarness((request) =>
      request.turns.filter(({ role }) => role === 'tool').length < 60
        ? { calls: [{ tool: 'peek' }] }
        : { text: 'Looked sixty times.' },
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Look.' })
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.modelRequests).toHaveLength(61)
    expect(statusOf(harness)).toBe('idle')
    expect(unreadOf(harness.team.state, 'lead').map(({ message }) => message.content)).toContain('Looked sixty times.')
  }) // B13, B57

  it('does not count an answer that was cut off as the completion of a task', async () => {
    const harness = await recordingHarness(() => ({ text: 'And then I', end: 'length' }))
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.team.state.tasks.get('1')).toMatchObject({ status: 'failed', reason: 'its answer was cut off' })
  }) // B13, F37
})

describe('a request to stop', () => {
  it('is answered by an idle teammate without a model call', async () => {
    const harness = await recordingHarness(() => ({ text: 'Here.' }))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    await askToStop(harness)
    await harness.until(() => statusOf(harness) === 'stopped')
    expect(harness.modelRequests).toHaveLength(1)
    expect(harness.team.state.requests.get('r1')?.state).toBe('approved')
  }) // A72, B30

  it('is answered by an idle teammate although a limit of the run is reached', async () => {
    const harness = await recordingHarness(() => ({ text: 'Here.' }))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    Object.assign(harness.context.limits, { turns: 0 })
    await askToStop(harness)
    await harness.until(() => statusOf(harness) === 'stopped')
    expect(harness.modelRequests).toHaveLength(1)
  }) // T22

  it('is answered by a working teammate in its next model call', async () => {
    const harness = await recordingHarness(
      agreeing(async () => {
        if (harness.modelRequests.length === 1) await askToStop(harness)
        return { calls: [{ tool: 'peek' }] }
      }),
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Look.' })
    await harness.until(() => statusOf(harness) === 'stopped')
    expect(harness.modelRequests).toHaveLength(2)
    expect(harness.team.state.requests.get('r1')?.state).toBe('approved')
  }) // A72, B30

  it('is answered by a teammate whose plan waits for approval', async () => {
    const harness = await recordingHarness(
      agreeing((request) => (request.turns.length === 1 ? handIn : { text: 'I wait.' })),
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1', requirePlan: true })
    await harness.until(() => statusOf(harness) === 'waiting_approval' && harness.supervised.isIdle)
    await askToStop(harness)
    await harness.until(() => statusOf(harness) === 'stopped')
    expect(harness.team.state.requests.get('r2')).toMatchObject({ kind: 'shutdown', state: 'approved' })
    expect(harness.team.state.tasks.get('1')?.status).toBe('pending')
  }) // A72, B30
})

describe('the input of a teammate', () => {
  it('is mail with sender and type, and its task with all details, as user text', async () => {
    const harness = await recordingHarness((request) =>
      lastTurnText(request).includes('<task') ? complete : { text: 'I heard.' },
    )
    await harness.tasks({ subject: 'dig', description: 'Two feet deep.' })
    await harness.supervised.spawn({ name: 'ada', role: 'digger', prompt: 'Be careful.' })
    await harness.until(() => harness.supervised.isIdle && harness.team.state.tasks.get('1')?.status === 'completed')
    await harness.team.send({ to: 'ada', content: 'Mind the roses.' }, { by: harness.lead })
    await harness.until(() => harness.supervised.isIdle && unreadOf(harness.team.state, 'ada').length === 0)
    const { turns } = harness.modelRequests.at(-1)!
    const texts = turns.flatMap((turn) =>
      turn.role === 'user' ? turn.content.map((part) => (part.type === 'text' ? part.text : '')) : [],
    )
    expect(texts).toContain('<message from="lead" type="message">\nBe careful.\n</message>')
    expect(texts).toContain('<message from="lead" type="message">\nMind the roses.\n</message>')
    const task = texts.find((text) => text.startsWith('<task id="1">'))
    expect(task).toContain('You hold task 1: dig\nTwo feet deep.')
    expect(turns.filter(({ role }) => role === 'assistant').every((turn) => !JSON.stringify(turn).includes('<'))).toBe(
      true,
    )
  }) // A75, B12
})
