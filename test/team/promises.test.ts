import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { PersonAnswer } from '../../src/agent/questions.ts'
import { openTeam } from '../../src/journal/team-handle.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { createPlace, openMemoryStore } from '../../src/stores/memory/store.ts'
import { planGate } from '../../src/team/members/plan-gate.ts'
import { memberNamed } from '../../src/team/state.ts'
import { composedModel } from '../../src/testing/harnesses/composed-model.ts'
import { openTestSession, runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import {
  type Compose,
  closeSupervisors,
  lastTurnText,
  neverAnswers,
  supervisorHarness,
} from '../../src/testing/harnesses/supervisor-harness.ts'
import { defineTool } from '../../src/tools/define-tool.ts'

afterEach(closeSupervisors)
const handIn = { calls: [{ tool: 'SendMessage', input: { type: 'plan_approval_request', content: 'I dig.' } }] }

describe('a teammate', () => {
  it('lets a teammate change nothing before its plan is approved', async () => {
    const harness = await supervisorHarness((request) =>
      lastTurnText(request).includes('Dig.') ? { calls: [{ tool: 'work' }] } : { text: 'Hm.' },
    )
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1', requirePlan: true })
    await harness.until(() => harness.requestsOf('ada').length > 1)
    const answer = JSON.stringify(harness.requestsOf('ada')[1]!.turns.at(-1))
    expect(answer).toContain('Blocked: plan status is required')
    expect(answer).not.toContain('changed')
  }) // B67, F27, B25

  it('requires a new plan approval from a teammate that was resumed', async () => {
    const compose: Compose = (request, signal) => (request.turns.length === 1 ? handIn : neverAnswers(request, signal))
    const before = await supervisorHarness(compose)
    // Without a task only the generation is new.
    await before.supervised.spawn({ name: 'ada', prompt: 'Dig.', requirePlan: true })
    await before.until(() => before.team.state.requests.get('r1')?.state === 'pending')
    await before.team.run({ type: 'request.answer', id: 'r1', approve: true, feedback: '' }, { by: before.lead })
    expect(planGate(before.team.state, memberNamed(before.team.state, 'ada')!)).toBe('approved')
    await before.crash()
    const after = await supervisorHarness(neverAnswers, { place: before.place })
    await after.supervised.resume()
    const ada = memberNamed(after.team.state, 'ada')!
    expect(ada.generation).toBe(2)
    expect(planGate(after.team.state, ada)).toBe('required')
  }) // B68

  it('runs no call because the journal holds an approval of it', async () => {
    let answer = (_: PersonAnswer) => {}
    const ask = () =>
      new Promise<PersonAnswer>((resolve) => {
        answer = resolve
      })
    const harness = await supervisorHarness(
      (request) => (request.turns.length === 1 ? { calls: [{ tool: 'work' }] } : { text: 'Hm.' }),
      { ask },
    )
    await harness.supervised.spawn({ name: 'ada', prompt: 'Work.' })
    await harness.until(() => harness.team.state.requests.get('r1')?.state === 'pending')
    const yes = { id: 'r1', by: 'user', approve: true, feedback: '', status: null, pendingWork: [] }
    await harness.team.report([{ type: 'request.answered', ...yes, artifactsCommitted: null }])
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
    answer({ allowed: false })
    await harness.until(() => harness.supervised.isIdle)
    expect(JSON.stringify(harness.modelRequests.at(-1)!.turns)).not.toContain('changed')
  })

  it('makes no model call while a teammate is idle, however long that is', async () => {
    const harness = await supervisorHarness(() => ({ text: 'Here.' }))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    for (let hour = 0; hour < 24; hour++) {
      harness.clock.advance(3600)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(harness.modelRequests).toHaveLength(1)
  }) // F3, F4, A74

  it('leaves a task unclaimed that is meant for another role', async () => {
    const harness = await supervisorHarness(() => ({ text: 'Here.' }))
    await harness.tasks({ subject: 'taste', role: 'tester' })
    await harness.supervised.spawn({ name: 'ada', role: 'dev', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    expect(harness.team.state.tasks.get('1')?.status).toBe('pending')
  }) // A79, B31

  it('keeps a stopped teammate stopped when a late activity report arrives', async () => {
    const harness = await supervisorHarness(() => ({ text: 'Here.' }))
    await harness.supervised.spawn({ name: 'ada', prompt: 'Hello.' })
    await harness.until(() => harness.supervised.isIdle)
    const { generation } = memberNamed(harness.team.state, 'ada')!
    await harness.team.run({ type: 'member.stop', name: 'ada', reason: 'enough' }, { by: harness.lead })
    const late = { type: 'member.activity', name: 'ada', generation, status: 'idle' } as const
    await harness.team.report([late], { by: { name: 'ada', generation, epoch: harness.lead.epoch! } })
    expect(memberNamed(harness.team.state, 'ada')?.status).toBe('stopped')
  }) // F14
})

describe('a lead', () => {
  it('continues a run until every teammate has finished its work', async () => {
    await using session = await openTestSession({ model: leadAndTeammate() })
    await session.team.run({ type: 'task.add', tasks: [{ subject: 'dig', description: '' }] })
    await runToEnd(session, 'Go.')
    expect(session.team.state.tasks.get('1')?.status).toBe('completed')
  }) // A6, A88

  it('gives the lead the mail that was unread when it deleted the team', async () => {
    const call = (tool: string, input: Record<string, unknown>) => ({ tool, input })
    const received: string[] = []
    const model = scriptedModel({
      parts: [
        { agent: 'lead', when: { answer: 1 }, calls: [call('TeamCreate', { name: 'api' })] },
        // The lead receives no input between two calls of one turn.
        { agent: 'lead', when: { answer: 2 }, calls: [call('write_to_lead', {}), call('TeamDelete', { name: 'api' })] },
        {
          agent: 'lead',
          times: 'always',
          compose({ turns }) {
            received.push(JSON.stringify(turns))
            return { text: 'Well.' }
          },
        },
      ],
    })
    const store = await openMemoryStore(createPlace())
    const writeToLead = defineTool({
      name: 'write_to_lead',
      description: 'A program writes to the lead.',
      input: z.object({}),
      async run() {
        await using team = await openTeam(store, 'api')
        await team.send({ to: 'lead', content: 'The schema is wrong.' })
        return 'Written.'
      },
    })
    await using session = await openTestSession({ store, model, tools: [writeToLead] })
    await runToEnd(session, 'Go.')
    expect(received.at(-1)).toContain('The schema is wrong.')
  }) // A82, F32
})

/** The lead spawns ada and becomes idle; ada answers only after that. */
function leadAndTeammate() {
  let setIdle = () => {}
  const isLeadIdle = new Promise<void>((resolve) => {
    setIdle = resolve
  })
  return composedModel(async ({ agent, turns }) => {
    const isFirst = turns.length === 1
    if (agent === 'lead' && !isFirst) setIdle()
    if (agent === 'ada') {
      await isLeadIdle
      for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
    }
    const spawn = { tool: 'Task', input: { name: 'ada', prompt: 'Dig.', task_id: '1' } }
    const complete = { tool: 'TaskUpdate', input: { taskId: '1', status: 'completed', result: 'dug' } }
    return { text: 'Well.', calls: isFirst ? [agent === 'lead' ? spawn : complete] : [] }
  }).model
}
