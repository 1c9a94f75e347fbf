import { afterEach, describe, expect, it } from 'vitest'
import type { PersonAnswer, Question } from '../../agent/questions.ts'
import { memberNamed } from '../../team/state.ts'
import {
  type Compose,
  closeSupervisors,
  lastTurnText,
  type SupervisorHarness,
  supervisorHarness,
} from '../../testing/harnesses/supervisor-harness.ts'

afterEach(closeSupervisors)

/** A person who answers when the test says so. */
function person() {
  const asked: { question: Question; signal: AbortSignal; answer(given: PersonAnswer): void }[] = []
  const ask = (question: Question, signal: AbortSignal) =>
    new Promise<PersonAnswer>((answer) => void asked.push({ question, signal, answer }))
  return { asked, ask }
}

/** Calls `work` for every input, then answers. */
const eager: Compose = (request) =>
  request.turns.at(-1)?.role === 'user' ? { calls: [{ tool: 'work' }] } : { text: 'So it is.' }

const statusOf = ({ team }: SupervisorHarness, name: string) => memberNamed(team.state, name)?.status
const permissionRequestsOf = ({ team }: SupervisorHarness) =>
  [...team.state.requests.values()].filter((r) => r.kind === 'permission')

describe('a teammate that needs permission', () => {
  it('waits for a person, who reads its name, while the other agents continue', async () => {
    const { asked, ask } = person()
    const harness = await supervisorHarness(
      (request, signal) => (request.agent === 'bob' ? { text: 'Here.' } : eager(request, signal)),
      { ask },
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await harness.until(() => asked.length === 1 && statusOf(harness, 'ada') === 'waiting_approval')
    expect(asked[0]!.question).toMatchObject({ agent: 'ada', team: 'web', action: { kind: 'run', command: 'work' } })
    expect(permissionRequestsOf(harness)).toMatchObject([{ id: 'r1', from: 'ada', to: 'user', state: 'pending' }])
    expect(harness.supervised.isIdle).toBe(false)
    await harness.supervised.spawn({ name: 'bob', prompt: 'Hello.' })
    await harness.until(() => statusOf(harness, 'bob') === 'idle')
    asked[0]!.answer({ allowed: true })
    await harness.until(() => harness.supervised.isIdle)
    expect(lastTurnText(harness.requestsOf('ada')[1]!)).toContain('changed')
    expect(permissionRequestsOf(harness)).toMatchObject([{ state: 'approved', by: 'user' }])
  }) // B70

  it('gets a denial with its reason, and the call does not run', async () => {
    const { asked, ask } = person()
    const harness = await supervisorHarness(eager, { ask })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await harness.until(() => asked.length === 1)
    asked[0]!.answer({ allowed: false, why: 'not on a Friday' })
    await harness.until(() => harness.supervised.isIdle)
    const result = lastTurnText(harness.requestsOf('ada')[1]!)
    expect(result).toContain('Denied: the user said no: not on a Friday')
    expect(result).not.toContain('changed')
  })

  it('gets the answer to its own question when several agents ask at once, in any order', async () => {
    const { asked, ask } = person()
    const harness = await supervisorHarness(eager, { ask })
    for (const name of ['ada', 'bob']) await harness.supervised.spawn({ name, prompt: 'Work.' })
    await harness.until(() => asked.length === 2)
    const of = (name: string) => asked.find(({ question }) => question.agent === name)!
    of('bob').answer({ allowed: false })
    await harness.until(() => harness.requestsOf('bob').length === 2)
    expect(harness.requestsOf('ada')).toHaveLength(1)
    of('ada').answer({ allowed: true })
    await harness.until(() => harness.supervised.isIdle)
    expect(lastTurnText(harness.requestsOf('ada')[1]!)).toContain('changed')
    expect(lastTurnText(harness.requestsOf('bob')[1]!)).toContain('the user said no')
  })

  it('does not count as stalled, however long the person takes', async () => {
    const { asked, ask } = person()
    const harness = await supervisorHarness(eager, { ask })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await harness.until(() => asked.length === 1)
    for (let hour = 0; hour < 5; hour++) harness.clock.advance(3600)
    asked[0]!.answer({ allowed: true })
    await harness.until(() => harness.supervised.isIdle)
    expect(memberNamed(harness.team.state, 'ada')).toMatchObject({ generation: 1, status: 'idle' })
  }) // F46
})

describe('an unanswered permission request', () => {
  it('is void when urgent mail comes: the mail is delivered, and a late approval runs nothing', async () => {
    const { asked, ask } = person()
    const harness = await supervisorHarness(
      (request) => (request.turns.length === 1 ? { calls: [{ tool: 'work' }] } : { text: 'I heard.' }),
      { ask },
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await harness.until(() => asked.length === 1)
    await harness.team.send({ to: 'ada', content: 'Wrong file!', extra: { urgent: true } }, { by: harness.lead })
    await harness.until(() => harness.supervised.isIdle)
    expect(asked[0]!.signal.aborted).toBe(true)
    asked[0]!.answer({ allowed: true })
    const turns = JSON.stringify(harness.requestsOf('ada').at(-1)!.turns)
    expect(turns).toContain('Wrong file!')
    expect(turns).toContain('Not run: no person has allowed it yet')
    expect(turns).not.toContain('changed')
    expect(permissionRequestsOf(harness)).toMatchObject([{ state: 'void' }])
  })

  it('is void when its teammate is asked to stop, which it learns at once', async () => {
    const { asked, ask } = person()
    const harness = await supervisorHarness(
      (request) => {
        const request_id = /request_id=\\"(r\d+)/.exec(lastTurnText(request))?.[1]
        if (!request_id) return { calls: [{ tool: 'work' }] }
        const input = { type: 'shutdown_response', to: 'lead', request_id, approve: true, status: 'clean' }
        return { calls: [{ tool: 'SendMessage', input }] }
      },
      { ask },
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await harness.until(() => asked.length === 1)
    await harness.team.run(
      { type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' },
      { by: harness.lead },
    )
    await harness.until(() => statusOf(harness, 'ada') === 'stopped')
    expect(permissionRequestsOf(harness)).toMatchObject([{ state: 'void', reason: 'ada was asked to stop' }])
  }) // A72, B30

  it('is void when its teammate is stopped by force, and does not keep the team busy', async () => {
    const { asked, ask } = person()
    const harness = await supervisorHarness(eager, { ask })
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.', task: '1' })
    await harness.until(() => asked.length === 1)
    await harness.team.run({ type: 'member.stop', name: 'ada', reason: 'enough' }, { by: harness.lead })
    await harness.until(() => harness.supervised.isIdle)
    expect(asked[0]!.signal.aborted).toBe(true)
    expect(permissionRequestsOf(harness)).toMatchObject([{ state: 'void' }])
    expect(harness.team.state.tasks.get('1')?.status).toBe('pending')
  })

  it('does not delay the end of the run, and is asked again by the next generation', async () => {
    const first = person()
    const before = await supervisorHarness(eager, { ask: first.ask })
    await before.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await before.until(() => first.asked.length === 1)
    await before.crash()
    first.asked[0]!.answer({ allowed: true })

    const second = person()
    const compose: Compose = (request) =>
      lastTurnText(request).includes('Not run') || lastTurnText(request).includes('brought back')
        ? { calls: [{ tool: 'work' }] }
        : { text: 'So it is.' }
    const after = await supervisorHarness(compose, { place: before.place, ask: second.ask })
    await after.supervised.resume()
    await after.until(() => second.asked.length === 1)
    second.asked[0]!.answer({ allowed: true })
    await after.until(() => after.supervised.isIdle)
    expect(JSON.stringify(after.requestsOf('ada').at(-1)!.turns)).toContain('changed')
    const open = permissionRequestsOf(after).filter(({ state }) => state === 'pending')
    expect(open).toEqual([])
  }) // F28

  it('is a denial when the person cannot be asked', async () => {
    const harness = await supervisorHarness(eager, {
      ask: async () => {
        throw new Error('the terminal is gone')
      },
    })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await harness.until(() => harness.supervised.isIdle)
    expect(lastTurnText(harness.requestsOf('ada')[1]!)).toContain('could not be asked: the terminal is gone')
    expect(permissionRequestsOf(harness)).toMatchObject([{ state: 'void' }])
  })
})

describe('an answer to a permission request', () => {
  it('comes only from the person who was asked, not from the lead or a line in the journal', async () => {
    const { asked, ask } = person()
    const harness = await supervisorHarness(eager, { ask })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await harness.until(() => asked.length === 1)
    const yes = { type: 'request.answer', id: 'r1', approve: true } as const
    expect(await harness.team.run(yes, { by: harness.lead })).toMatchObject({ code: 'not_allowed' })
    const forged = { id: 'r1', by: 'user', approve: true, feedback: '', status: null, pendingWork: [] }
    await harness.team.report([{ type: 'request.answered', ...forged, artifactsCommitted: null }])
    expect(permissionRequestsOf(harness)).toMatchObject([{ state: 'approved' }])
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    expect(harness.requestsOf('ada')).toHaveLength(1)
    asked[0]!.answer({ allowed: false })
    await harness.until(() => harness.supervised.isIdle)
    expect(JSON.stringify(harness.requestsOf('ada').at(-1)!.turns)).not.toContain('changed')
  })

  it('may be a denial from any process', async () => {
    const { asked, ask } = person()
    const harness = await supervisorHarness(eager, { ask })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await harness.until(() => asked.length === 1)
    await harness.team.run({ type: 'request.answer', id: 'r1', approve: false, feedback: 'never' })
    await harness.until(() => harness.supervised.isIdle)
    expect(asked[0]!.signal.aborted).toBe(true)
    expect(lastTurnText(harness.requestsOf('ada')[1]!)).toContain('Denied: the user said no: never')
  })
})
