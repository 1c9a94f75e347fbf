import { afterEach, describe, expect, it } from 'vitest'
import type { PersonAnswer, Question } from '../agent/questions.ts'
import { memberNamed } from '../team/state.ts'
import {
  type Compose,
  closeSupervisors,
  lastTurnText,
  neverAnswers,
  type SupervisorHarness,
  supervisorHarness,
} from '../testing/harnesses/supervisor-harness.ts'

afterEach(closeSupervisors)

const statusOf = ({ team }: SupervisorHarness, name = 'ada') => memberNamed(team.state, name)?.status
const NOTE = 'The user interrupted you here'

/** Never answers its first request of each agent, and completes what it is asked to do later. */
const silentAtFirst: Compose = (request, signal) =>
  lastTurnText(request).includes(NOTE) ? { text: 'As you wish.' } : neverAnswers(request, signal)

async function rounds(): Promise<void> {
  for (let i = 0; i < 30; i++) await new Promise((resolve) => setImmediate(resolve))
}

describe('a teammate that the user interrupts', () => {
  it('ends its turn while its model streams, keeps its task and is idle until the next message', async () => {
    const harness = await supervisorHarness(silentAtFirst)
    await harness.tasks({ subject: 'dig' }, { subject: 'rake' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.requestsOf('ada').length === 1 && statusOf(harness) === 'working')
    expect(harness.supervised.interrupt('ADA')).toBe(true)
    await harness.until(() => harness.supervised.isIdle && statusOf(harness) === 'idle')
    expect(harness.supervised.remind()).toBe(false)
    await rounds()
    expect(harness.requestsOf('ada')).toHaveLength(1)
    expect(harness.team.state.tasks.get('1')).toMatchObject({ status: 'in_progress', owner: 'ada' })
    expect(harness.team.state.tasks.get('2')).toMatchObject({ status: 'pending' })

    await harness.team.send({ to: 'ada', content: 'Dig deeper.' })
    await harness.until(() => harness.requestsOf('ada').length > 1)
    const turn = lastTurnText(harness.requestsOf('ada')[1]!)
    expect(turn.indexOf('Dig.')).toBeLessThan(turn.indexOf(NOTE))
    expect(turn.indexOf(NOTE)).toBeLessThan(turn.indexOf('Dig deeper.'))
  }) // B18

  it('is the only agent whose turn ends', async () => {
    const harness = await supervisorHarness(neverAnswers)
    for (const name of ['ada', 'bob']) await harness.supervised.spawn({ name, prompt: 'Hello.' })
    await harness.until(() => harness.modelRequests.length === 2)
    expect(harness.supervised.interrupt('bob')).toBe(true)
    await harness.until(() => statusOf(harness, 'bob') === 'idle')
    await rounds()
    expect(statusOf(harness, 'ada')).toBe('working')
    expect(harness.supervised.interrupt('ada')).toBe(true)
  })

  it('has read the messages of a turn that is interrupted before it began', async () => {
    let interrupt = () => false
    const seen: boolean[] = []
    const harness = await supervisorHarness(silentAtFirst, {
      beforeInput: async () => void (seen.length === 0 && seen.push(interrupt())),
    })
    interrupt = () => harness.supervised.interrupt('ada')
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => seen.length === 1 && harness.supervised.isIdle)
    await rounds()
    expect(seen).toEqual([true])
    expect(harness.requestsOf('ada')).toHaveLength(0)
    await harness.team.send({ to: 'ada', content: 'Go on.' })
    await harness.until(() => harness.requestsOf('ada').length === 1)
    expect(lastTurnText(harness.requestsOf('ada')[0]!)).toMatch(/Hello\..*interrupted you here.*Go on\./s)
  })

  it('gets the result that the user interrupted its tool call, which is aborted', async () => {
    const harness = await supervisorHarness((request) =>
      request.turns.length === 1 ? { calls: [{ tool: 'wait' }, { tool: 'peek' }] } : { text: 'As you wish.' },
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Wait.' })
    await harness.until(() => harness.waiting.length === 1)
    harness.supervised.interrupt('ada')
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.waiting[0]!.aborted).toBe(true)
    await harness.team.send({ to: 'ada', content: 'Go on.' })
    await harness.until(() => harness.requestsOf('ada').length === 2)
    const { turns } = harness.requestsOf('ada')[1]!
    expect(JSON.stringify(turns[2])).toMatch(/Interrupted by the user.*Interrupted by the user/)
  })

  it('does not ask its question any more', async () => {
    const asked: { question: Question; signal: AbortSignal }[] = []
    const ask = (question: Question, signal: AbortSignal) => {
      asked.push({ question, signal })
      return new Promise<PersonAnswer>(() => {})
    }
    const harness = await supervisorHarness(() => ({ calls: [{ tool: 'work' }] }), { ask })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await harness.until(() => statusOf(harness) === 'waiting_approval')
    expect(harness.supervised.interrupt('ada')).toBe(true)
    await harness.until(() => harness.supervised.isIdle && statusOf(harness) === 'idle')
    expect(asked[0]!.signal.aborted).toBe(true)
    expect([...harness.team.state.requests.values()]).toMatchObject([{ kind: 'permission', state: 'void' }])
  })

  it('stops at once when it is asked to', async () => {
    const harness = await supervisorHarness(neverAnswers)
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.requestsOf('ada').length === 1)
    harness.supervised.interrupt('ada')
    await harness.until(() => statusOf(harness) === 'idle' && harness.supervised.isIdle)
    const request = { type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' } as const
    await harness.team.run(request, { by: harness.lead })
    await harness.until(() => statusOf(harness) === 'stopped')
  })

  it('continues its task when its session is resumed by another process', async () => {
    const before = await supervisorHarness(neverAnswers)
    await before.tasks({ subject: 'dig' })
    await before.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await before.until(() => before.requestsOf('ada').length === 1)
    before.supervised.interrupt('ada')
    await before.until(() => statusOf(before) === 'idle' && before.supervised.isIdle)
    await before.crash()
    const complete = { taskId: '1', status: 'completed', result: 'dug' }
    const after = await supervisorHarness(
      (request) =>
        request.turns.at(-1)?.role === 'user'
          ? { calls: [{ tool: 'TaskUpdate', input: complete }] }
          : { text: 'Done.' },
      { place: before.place },
    )
    await after.supervised.resume()
    await after.until(() => after.team.state.tasks.get('1')?.status === 'completed')
    expect(lastTurnText(after.requestsOf('ada')[0]!)).toContain(NOTE)
  })
})

describe('an agent that is not in a turn', () => {
  it('cannot be interrupted', async () => {
    const harness = await supervisorHarness(() => ({ text: 'Here.' }))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle && statusOf(harness) === 'idle')
    expect(harness.supervised.interrupt('ada')).toBe(false)
    expect(harness.supervised.interrupt('bob')).toBe(false)
    await harness.team.send({ to: 'ada', content: 'Still there?' })
    await harness.until(() => harness.requestsOf('ada').length === 2)
    expect(JSON.stringify(harness.requestsOf('ada')[1]!.turns)).not.toContain(NOTE)
  })
})
