import { afterEach, describe, expect, it } from 'vitest'
import type { ModelRequest } from '../../models/model.ts'
import type { OpenControl } from '../../session/control/open-control.ts'
import { createRunSummary } from '../../session/wire/run-summary.ts'
import { roster } from '../../team/state.ts'
import { type Compose, composedModel } from '../../testing/harnesses/composed-model.ts'
import { controlHarness, reader, until } from '../../testing/harnesses/control-contract.ts'
import { openTestSession, runToEnd } from '../../testing/harnesses/session-harness.ts'

const open: OpenControl[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
})

const spawn = (name: string, role: string) => ({ tool: 'Task', input: { name, role, prompt: `You are ${name}.` } })
const lastText = ({ turns }: ModelRequest) => JSON.stringify(turns.at(-1))

/** The lead wants these teammates with each prompt, and answers their results. */
const wants =
  (...calls: ReturnType<typeof spawn>[]): Compose =>
  (request) =>
    request.agent === 'lead' && lastText(request).includes('teammates please') ? { calls } : { text: 'So it is.' }

async function opened(compose: Compose, confirmFirstSpawn = true) {
  const supervisor = { confirmFirstSpawn }
  const harness = await controlHarness(compose, { supervisor, permissions: { mode: 'bypassPermissions' } })
  open.push(harness.own)
  const seen = reader(harness.own)
  const names = () => roster(harness.team.state).map(({ name }) => name)
  const settled = (runs: number) =>
    until(() => seen.of('deskmates/run').filter(({ state }) => state === 'settled').length === runs + 1)
  return { ...harness, seen, names, settled }
}

describe('the first teammates of a session', () => {
  it('are confirmed in one question with their names and roles, and no others after them', async () => {
    const { own, seen, names, settled } = await opened(wants(spawn('ada', 'backend dev'), spawn('bob', 'tester')))
    await own.prompt('teammates please')
    await until(() => seen.question() !== undefined)
    expect(seen.question()).toMatchObject({
      agent: 'lead',
      about: {
        ...{ kind: 'permission', tool: 'Task', rules: [], action: { kind: 'use', tool: 'Task' } },
        input: {
          teammates: [
            { name: 'ada', role: 'backend dev' },
            { name: 'bob', role: 'tester' },
          ],
        },
        why: 'the user confirms the first teammates of a session: ada (backend dev), bob (tester)',
      },
    })
    expect(names()).toEqual(['lead'])
    await own.answer(seen.question()!.id, { allowed: true })
    await until(() => names().length === 3)
    await settled(1)
    await own.prompt('teammates please')
    await settled(2)
    expect(seen.of('deskmates/question')).toHaveLength(1)
  }) // B48

  it('are refused with the words of the user, and another team is asked about again', async () => {
    const { own, seen, names, settled, requestsOf } = await opened(wants(spawn('ada', 'dev'), spawn('bob', 'dev')))
    await own.prompt('teammates please')
    await until(() => seen.question() !== undefined)
    await own.answer('q1', { allowed: false, why: 'One developer is enough.' })
    await settled(1)
    expect(names()).toEqual(['lead'])
    const shown = lastText(requestsOf('lead').at(-1)!)
    expect(shown.match(/the user said no: One developer is enough\./g)).toHaveLength(2)
    expect(seen.of('deskmates/question')).toHaveLength(1)
    await own.prompt('teammates please')
    await until(() => seen.question()?.id === 'q2')
    await own.answer('q2', { allowed: true })
    await until(() => names().length === 3)
  }) // B48

  it('of the user need no confirmation, nor do subagents', async () => {
    const { own, seen, names, settled } = await opened((request) =>
      request.agent === 'lead' && lastText(request).includes('errand please')
        ? { calls: [{ tool: 'Task', input: { prompt: 'Look.' } }] }
        : { text: 'So it is.' },
    )
    await own.spawn('ada', 'dev', 'Hello.')
    await until(() => names().includes('ada'))
    await own.prompt('errand please')
    await settled(1)
    expect(seen.of('deskmates/question')).toEqual([])
  })

  it('start without a question by default', async () => {
    const { own, seen, names } = await opened(wants(spawn('ada', 'dev')), false)
    await own.prompt('teammates please')
    await until(() => names().includes('ada'))
    expect(seen.of('deskmates/question')).toEqual([])
  })

  it('are denied at once and listed where no person can be asked', async () => {
    const { model, requests } = composedModel(wants(spawn('ada', 'dev'), spawn('bob', 'dev')))
    await using session = await openTestSession({ model, supervisor: { confirmFirstSpawn: true } })
    const summary = createRunSummary()
    const { stop, events } = await runToEnd(session, 'teammates please')
    for (const event of events) summary.add(event)
    const about = { session_id: session.id, duration_ms: 1, resumeCommand: () => '', left: [] }
    const { permission_denials: denials } = summary.result(stop, about)
    expect(denials).toMatchObject([
      { agent: 'lead', tool_name: 'Task', tool_input: { name: 'ada' } },
      { agent: 'lead', tool_name: 'Task', tool_input: { name: 'bob' } },
    ])
    expect(denials[0]!.reason).toContain('no person can be asked here. Do the work without teammates.')
    expect(roster(session.team.state).map(({ name }) => name)).toEqual(['lead'])
    expect(requests).toHaveLength(2)
  }) // B48
})
