import { afterEach, describe, expect, it } from 'vitest'
import { memberNamed, unreadOf } from '../team/state.ts'
import {
  type Compose,
  lastTurnText,
  type SupervisorHarness,
  supervisorHarness,
} from '../testing/harnesses/supervisor-harness.ts'

const open: SupervisorHarness[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function crewOf(mind: Compose, more: Omit<Parameters<typeof supervisorHarness>[0], 'mind'> = {}) {
  const practice = await supervisorHarness({ mind, ...more })
  open.push(practice)
  const states: string[] = []
  const health: string[] = []
  practice.team.watch(({ events }) => {
    const status = memberNamed(practice.team.state, 'ada')?.status
    if (status !== undefined && status !== states.at(-1)) states.push(status)
    for (const event of events)
      if (event.type === 'agent.health')
        health.push(`${event.previous} → ${event.state}${event.timeoutTriggered ? ' (silence)' : ''}`)
  })
  return { ...practice, states, health }
}

const statusOf = ({ team }: SupervisorHarness, name = 'ada') => memberNamed(team.state, name)?.status
const hang: Compose = (_, signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
const handIn = { calls: [{ tool: 'SendMessage', input: { type: 'plan_approval_request', content: 'I dig.' } }] }
const complete = { calls: [{ tool: 'TaskUpdate', input: { taskId: '1', status: 'completed', result: 'dug' } }] }
const askToStop = ({ team, lead }: SupervisorHarness) =>
  team.run({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' }, { by: lead })

/** Agrees to stop as soon as it hears that it should. */
function agreeing(mind: Compose): Compose {
  return (request, signal) => {
    const request_id = /type=\\"shutdown_request\\" request_id=\\"(r\d+)/.exec(lastTurnText(request))?.[1]
    if (!request_id) return mind(request, signal)
    const input = { type: 'shutdown_response', to: 'lead', request_id, approve: true, status: 'clean' }
    return { calls: [{ tool: 'SendMessage', input }] }
  }
}

describe('the life of a teammate', () => {
  it('goes from its making through work and rest to its end, and its health is on record', async () => {
    const practice = await crewOf(() => ({ text: 'Here.' }))
    await practice.crew.spawn({ name: 'ada', prompt: 'Hello.' })
    await practice.until(() => practice.crew.isIdle)
    await practice.team.send({ to: 'ada', content: 'And now?' }, { by: practice.lead })
    await practice.until(() => practice.asked.length === 2 && practice.crew.isIdle)
    await askToStop(practice)
    await practice.until(() => statusOf(practice) === 'stopped' && practice.health.length === 6)
    expect(practice.states).toEqual(['starting', 'working', 'idle', 'working', 'idle', 'stopping', 'stopped'])
    expect(practice.health).toEqual([
      'null → start',
      'start → working',
      'working → idle',
      'idle → working',
      'working → idle',
      'idle → stop',
    ])
  }) // B4, C63, C64

  it('knows waiting for approval besides, and whoever is gone is not written to', async () => {
    const practice = await crewOf((request) =>
      lastTurnText(request).includes('go ahead') ? complete : request.turns.length === 1 ? handIn : { text: 'I wait.' },
    )
    await practice.tasks({ subject: 'dig' })
    await practice.crew.spawn({ name: 'ada', prompt: 'Dig.', task: '1', requirePlan: true })
    await practice.until(() => statusOf(practice) === 'waiting_approval' && practice.crew.isIdle)
    const yes = { type: 'request.answer', id: 'r1', approve: true, feedback: 'go ahead' } as const
    await practice.team.run(yes, { by: practice.lead })
    await practice.until(() => statusOf(practice) === 'idle' && practice.crew.isIdle)
    await askToStop(practice)
    await practice.until(() => statusOf(practice) === 'stopped')
    const before = ['starting', 'working', 'waiting_approval', 'working', 'idle']
    expect(practice.states).toEqual([...before, 'stopping', 'stopped'])
    const sent = await practice.team.send({ to: 'ada', content: 'Still there?' }, { by: practice.lead })
    expect(sent).toMatchObject({ code: 'member_stopped' })
  }) // B51

  it('is not over for one who works on in silence, nor for ever for one who vanished: it comes back', async () => {
    const practice = await crewOf((request, signal) =>
      practice.asked.length === 1 ? hang(request, signal) : { text: 'Here again.' },
    )
    // Something is left to wait for, so that nothing but the stall ends the call.
    await practice.tasks({ subject: 'plant', role: 'gardener' })
    await practice.crew.spawn({ name: 'ada', prompt: 'Think.' })
    await practice.until(() => statusOf(practice) === 'working')
    practice.clock.advance(899)
    await new Promise((resolve) => setImmediate(resolve))
    expect(statusOf(practice)).toBe('working')
    practice.clock.advance(2)
    await practice.until(() => statusOf(practice) === 'idle')
    expect(practice.health).toEqual([
      'null → start',
      'start → working',
      'working → disappeared (silence)',
      'disappeared → start',
      'start → working',
      'working → idle',
    ])
  }) // C66

  it('goes on for one who was lost although not all of it could be written, and that is told', async () => {
    let isFull = true
    const practice = await crewOf(
      () => {
        if (practice.asked.length === 1) throw new Error('the provider is gone')
        isFull = false
        return { text: 'Here again.' }
      },
      {
        async putAway() {
          if (isFull) throw new Error('no space left')
        },
      },
    )
    await practice.crew.spawn({ name: 'ada', prompt: 'Think.' })
    await practice.until(() => statusOf(practice) === 'idle')
    expect(practice.health).toContain('disappeared → start')
    const notes = practice.events.flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes).toContain('Error: no space left')
  }) // F37

  it('says that it was brought back although something urgent comes in before that is heard', async () => {
    let isUrgentDue = false
    const practice = await crewOf(
      (request) => {
        isUrgentDue = practice.asked.length === 1
        if (isUrgentDue) throw new Error('the provider is gone')
        return lastTurnText(request).includes('<task') ? complete : { text: 'Here again.' }
      },
      {
        async listening() {
          if (!isUrgentDue) return
          isUrgentDue = false
          await practice.team.send(
            { to: 'ada', content: 'Mind the roses!', extra: { urgent: true } },
            { by: practice.lead },
          )
        },
      },
    )
    await practice.tasks({ subject: 'dig' })
    await practice.crew.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await practice.until(() => practice.team.state.tasks.get('1')?.status === 'completed')
    const heard = JSON.stringify(practice.asked[1]!.turns)
    expect(heard).toContain('you were brought back')
    expect(heard).toContain('Mind the roses!')
  }) // F24

  it('goes on for one who rests when a task is assigned to it, and nobody else takes that', async () => {
    const practice = await crewOf((request) =>
      lastTurnText(request).includes('<task') && request.agent === 'bob' ? complete : { text: 'Here.' },
    )
    await practice.crew.spawn({ name: 'ada', prompt: 'Hello.' })
    await practice.crew.spawn({ name: 'bob', prompt: 'Hello.' })
    await practice.until(() => practice.crew.isIdle)
    await practice.tasks({ subject: 'dig', assignee: 'bob' })
    await practice.until(() => practice.crew.isIdle && practice.team.state.tasks.get('1')?.status === 'completed')
    expect(practice.team.state.tasks.get('1')).toMatchObject({ owner: 'bob' })
    expect(practice.askedOf('ada')).toHaveLength(1)
  }) // B56

  it('ends by itself only where an idle time-out is set, and never with a task in its hands', async () => {
    const mind: Compose = (request) =>
      lastTurnText(request).includes('<task')
        ? { calls: [{ tool: 'SendMessage', input: { to: 'lead', content: 'How deep?' } }] }
        : { text: 'Here.' }
    const practice = await crewOf(mind, { settings: { idle: 60 } })
    await practice.tasks({ subject: 'dig', role: 'digger' })
    await practice.crew.spawn({ name: 'ada', prompt: 'Hello.' })
    await practice.crew.spawn({ name: 'bob', role: 'digger', prompt: 'Dig.', task: '1' })
    await practice.until(() => practice.crew.isIdle)
    practice.clock.advance(59)
    await new Promise((resolve) => setImmediate(resolve))
    expect(statusOf(practice)).toBe('idle')
    practice.clock.advance(2)
    await practice.until(() => statusOf(practice) === 'stopped')
    expect(statusOf(practice, 'bob')).toBe('idle')
    expect(practice.team.state.tasks.get('1')?.status).toBe('in_progress')
  }) // B27

  it('has as many rounds as it needs and ends with the first answer that calls nothing', async () => {
    const practice = await crewOf((request) =>
      request.turns.filter(({ role }) => role === 'tool').length < 60
        ? { calls: [{ tool: 'peek' }] }
        : { text: 'Looked sixty times.' },
    )
    await practice.crew.spawn({ name: 'ada', prompt: 'Look.' })
    await practice.until(() => practice.crew.isIdle)
    expect(practice.asked).toHaveLength(61)
    expect(statusOf(practice)).toBe('idle')
    expect(unreadOf(practice.team.state, 'lead').map(({ message }) => message.content)).toContain('Looked sixty times.')
  }) // B13, B57

  it('does not take an answer that was cut off for a task that is done', async () => {
    const practice = await crewOf(() => ({ text: 'And then I', end: 'length' }))
    await practice.tasks({ subject: 'dig' })
    await practice.crew.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await practice.until(() => practice.crew.isIdle)
    expect(practice.team.state.tasks.get('1')).toMatchObject({ status: 'failed', reason: 'its answer was cut off' })
  }) // B13, F37
})

describe('a request to stop', () => {
  it('is answered by one that rests, without a model', async () => {
    const practice = await crewOf(() => ({ text: 'Here.' }))
    await practice.crew.spawn({ name: 'ada', prompt: 'Hello.' })
    await practice.until(() => practice.crew.isIdle)
    await askToStop(practice)
    await practice.until(() => statusOf(practice) === 'stopped')
    expect(practice.asked).toHaveLength(1)
    expect(practice.team.state.requests.get('r1')?.state).toBe('approved')
  }) // A72, B30

  it('is answered by one that works, in its very next call', async () => {
    const practice = await crewOf(
      agreeing(async () => {
        if (practice.asked.length === 1) await askToStop(practice)
        return { calls: [{ tool: 'peek' }] }
      }),
    )
    await practice.crew.spawn({ name: 'ada', prompt: 'Look.' })
    await practice.until(() => statusOf(practice) === 'stopped')
    expect(practice.asked).toHaveLength(2)
    expect(practice.team.state.requests.get('r1')?.state).toBe('approved')
  }) // A72, B30

  it('is answered by one whose plan waits for approval', async () => {
    const practice = await crewOf(agreeing((request) => (request.turns.length === 1 ? handIn : { text: 'I wait.' })))
    await practice.tasks({ subject: 'dig' })
    await practice.crew.spawn({ name: 'ada', prompt: 'Dig.', task: '1', requirePlan: true })
    await practice.until(() => statusOf(practice) === 'waiting_approval' && practice.crew.isIdle)
    await askToStop(practice)
    await practice.until(() => statusOf(practice) === 'stopped')
    expect(practice.team.state.requests.get('r2')).toMatchObject({ kind: 'shutdown', state: 'approved' })
    expect(practice.team.state.tasks.get('1')?.status).toBe('pending')
  }) // A72, B30
})

describe('what a teammate hears', () => {
  it('is mail with sender and type, and the task it holds with all that is said of it, as text of the user', async () => {
    const practice = await crewOf((request) =>
      lastTurnText(request).includes('<task') ? complete : { text: 'I heard.' },
    )
    await practice.tasks({ subject: 'dig', description: 'Two feet deep.' })
    await practice.crew.spawn({ name: 'ada', role: 'digger', prompt: 'Be careful.' })
    await practice.until(() => practice.crew.isIdle && practice.team.state.tasks.get('1')?.status === 'completed')
    await practice.team.send({ to: 'ada', content: 'Mind the roses.' }, { by: practice.lead })
    await practice.until(() => practice.crew.isIdle && unreadOf(practice.team.state, 'ada').length === 0)
    const { turns } = practice.asked.at(-1)!
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
