import { describe, expect, it, vi } from 'vitest'
import { runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import { vendorHarness } from './vendor-harness.ts'

const completes = { tool: 'TaskUpdate', input: { taskId: '$task', status: 'completed', result: 'a hole' } }
const costs = (amount: number) => ({
  update: { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount, currency: 'USD' } },
})
const until = (condition: () => boolean) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 30_000, interval: 20 })

describe("what another vendor's agent costs", { timeout: 60_000 }, () => {
  it('is counted once where its program goes on with its account after it loaded the conversation', async () => {
    const steps = [[[costs(0.25), { say: 'Half. ' }, { exit: 1 }]], [[costs(0.75), completes]]]
    await using world = await vendorHarness({ steps, env: { ACP_LOAD: '1' } })
    const { state } = await world.run()
    expect(world.logged('load')).toHaveLength(1)
    expect(state.spent.get('vera')?.cost).toBeCloseTo(0.75)
  })

  it('is counted in full where its program begins a new account', async () => {
    const steps = [[[costs(0.5), { say: 'Half. ' }, { exit: 1 }]], [[costs(0.125), completes]]]
    await using loads = await vendorHarness({ steps, env: { ACP_LOAD: '1' } })
    expect((await loads.run()).state.spent.get('vera')?.cost).toBeCloseTo(0.625)
    await using briefed = await vendorHarness({ steps: [steps[0]!, [[costs(0.75), completes]]] })
    expect((await briefed.run()).state.spent.get('vera')?.cost).toBeCloseTo(1.25)
  })

  it('is not counted where its program reports a price that is no number of dollars', async () => {
    const prices = ['1e999', '-5', '"6"', 'null'].map((amount) => ({
      raw: `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-0","update":{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":${amount},"currency":"USD"}}}}`,
    }))
    await using world = await vendorHarness({ steps: [[[...prices, completes]]] })
    const { stop, state } = await world.run('Dig.', { limits: { dollars: 5, turns: 50 } })
    expect(stop.kind).toBe('finished')
    expect(state.spent.get('vera')).toMatchObject({ cost: 0, unpriced: 1 })
  })

  it('counts for the limit of the run also where its program died', async () => {
    const steps = [[[costs(6), { exit: 1 }]], [[costs(6), completes]]]
    await using world = await vendorHarness({ steps })
    const { stop } = await world.run('Dig.', { limits: { dollars: 5, turns: 50 } })
    expect(stop.kind).toBe('budget')
    expect(world.logged('prompt')).toHaveLength(1)
  })

  it('counts for the limit of the run also where its turn was cancelled', async () => {
    const steps = [[[costs(6), { wait: 'cancel' }], [completes]]]
    await using world = await vendorHarness({ steps })
    await using session = await world.open({ limits: { dollars: 5, turns: 50 } })
    const run = runToEnd(session, 'Dig.', AbortSignal.timeout(50_000))
    await until(() => world.logged('prompt').length === 1)
    await session.team.send({ to: 'vera', content: 'Stop.', extra: { urgent: true } })
    expect((await run).stop.kind).toBe('budget')
    expect(world.logged('prompt')).toHaveLength(1)
    expect(session.team.state.spent.get('vera')?.cost).toBe(6)
  })
})

describe("the last words of another vendor's agent", { timeout: 60_000 }, () => {
  it('are in its transcript where its program died after them, and the prompt is sent again', async () => {
    await using world = await vendorHarness({ steps: [[[{ say: 'Nearly there.' }, { exit: 1 }]], [[completes]]] })
    const { tasks } = await world.run()
    expect(tasks).toMatchObject([{ status: 'completed', owner: 'vera' }])
    expect(JSON.stringify(world.records())).toContain('Nearly there.')
    const again = String(world.logged('prompt')[1]?.text)
    expect(again).toContain('Nearly there.')
    expect(again).toContain('<task id="1">')
    expect(again).toContain('You may have read it')
  })

  it('are in its transcript where its turn was cancelled, before the mail that cancelled it', async () => {
    await using world = await vendorHarness({
      steps: [[[{ say: 'I dig here.' }, { wait: 'cancel' }], [completes]]],
    })
    await using session = await world.open()
    const run = runToEnd(session, 'Dig.', AbortSignal.timeout(50_000))
    await until(() => world.logged('prompt').length === 1)
    await session.team.send({ to: 'vera', content: 'Dig there.', extra: { urgent: true } })
    expect((await run).stop.kind).toBe('finished')
    const lines = world.records().map((record) => JSON.stringify(record))
    const words = lines.findIndex((line) => line.includes('I dig here.'))
    expect(words).toBeGreaterThan(-1)
    expect(words).toBeLessThan(lines.findIndex((line) => line.includes('Dig there.')))
    expect(world.logged('prompt')).toHaveLength(2)
  })
})
