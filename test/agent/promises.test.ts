import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { recoverInterruptedCalls } from '../../src/agent/calls/recover-interrupted-calls.ts'
import { inputBudget } from '../../src/agent/input/choose-mail.ts'
import { createInbox, userTurn } from '../../src/agent/input/inbox.ts'
import { openTranscript } from '../../src/agent/transcript/transcript.ts'
import { START } from '../../src/journal/log/cursor.ts'
import { createPlace, openMemoryStore } from '../../src/stores/memory/store.ts'
import { unreadOf } from '../../src/team/state.ts'
import {
  agentHarness,
  answeringModel,
  closeAgents,
  echo,
  run,
  usage,
} from '../../src/testing/harnesses/agent-harness.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import type { Tool } from '../../src/tools/tool.ts'

afterEach(closeAgents)

describe('an agent', () => {
  it('leaves a conversation that can continue when a tool call is aborted', async () => {
    const stopper = new AbortController()
    const slow = defineTool({
      name: 'slow',
      description: 'Waits.',
      input: z.object({}),
      run: (_, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          stopper.abort()
        }),
    })
    const place = createPlace()
    const first = answeringModel(() => ({ text: 'x', calls: [{ id: 'a', tool: 'slow' }] }))
    const talk = await agentHarness({ model: first.model, tools: [slow as Tool], place })
    await talk.team.send({ to: 'lead', content: 'go' })
    expect((await run(talk, stopper.signal)).stop.kind).toBe('aborted')
    const second = answeringModel(() => ({ text: 'I was interrupted' }))
    const again = await agentHarness({ model: second.model, place, generation: 2 })
    expect((await run(again)).stop).toEqual({ kind: 'finished', text: 'I was interrupted' })
    expect(second.asked[0]?.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ toolCallId: 'a', output: { type: 'error-text', value: expect.stringContaining('Interrupted') } }],
    })
  }) // F38

  it('reports a call whose end is unknown as interrupted, and never runs it again', async () => {
    const place = createPlace()
    const dead = await agentHarness({ model: answeringModel().model, place })
    await dead.transcript.addInput({ role: 'user', content: [{ type: 'text', text: 'go' }] }, [])
    const call = { type: 'tool-call' as const, toolCallId: 'a', toolName: 'echo', input: { text: 'x' } }
    await dead.transcript.answer({
      turn: { role: 'assistant', content: [call] },
      end: 'finished',
      usage,
      cost: null,
      model: 'x',
    })
    await dead.transcript.began({ pid: 4, started: '1', of: 'a' })
    await dead.transcript.beganJob({ id: 'b7f3', about: 'npm test' })
    await dead.transcript.began({ pid: 5, started: '2', of: 'b7f3' })
    let runs = 0
    const counting = { ...echo, run: async () => ({ text: String(++runs) }) } as Tool
    const { model, asked } = answeringModel(() => ({ text: 'I look first' }))
    const talk = await agentHarness({ model, tools: [counting], place, generation: 2 })
    const ended: number[] = []
    await recoverInterruptedCalls(talk, async ({ pid }) => void ended.push(pid))
    expect((await run(talk)).stop.kind).toBe('finished')
    expect(runs).toBe(0)
    expect(ended).toEqual([4, 5])
    expect(asked[0]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(JSON.stringify(asked[0]?.at(-2))).toContain('Interrupted')
    expect(JSON.stringify(asked[0]?.at(-1))).toContain('b7f3')
  }) // F39

  it('acknowledges mail only when the turn that holds it is in the transcript', async () => {
    const { model } = answeringModel(() => ({ text: 'never' }))
    const talk = await agentHarness({ model })
    await talk.team.send({ to: 'lead', content: 'precious' })
    const failing = {
      ...talk,
      transcript: { ...talk.transcript, addInput: () => Promise.reject(new Error('disk full')) },
    }
    expect((await run(failing)).stop).toMatchObject({ kind: 'error', error: { message: 'disk full' } })
    await talk.team.refresh()
    expect(unreadOf(talk.team.state, 'lead').map(({ message }) => message.content)).toEqual(['precious'])
  }) // F1, F2

  it('syncs the journal before the transcript holds a turn about it, while the model is asked', async () => {
    const place = createPlace()
    const store = await openMemoryStore(place)
    const lines = async () =>
      (await (await store.log('web/transcripts/lead')).read(START)).map(({ record }) => Object.keys(record)[2])
    const seen: unknown[] = []
    let release = () => {}
    const synced = new Promise<void>((resolve) => {
      release = resolve
    })
    const { model } = answeringModel(async () => {
      for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
      seen.push(await lines())
      release()
      return { text: 'going' }
    })
    const talk = await agentHarness({ model, place })
    const { transcript, notices } = talk
    const portion = inputBudget({ model }, talk.memory.keep)
    const team = Object.create(talk.team, { syncState: { value: () => synced } })
    await talk.team.send({ to: 'lead', content: 'go' })
    const memberships = () => [{ team, by: { name: 'lead' } }]
    await run({ ...talk, inbox: createInbox({ memberships, transcript, notices, budget: portion }) })
    expect([...seen, await lines()]).toEqual([['open'], ['open', 'user', 'assistant']])
  }) // F1, F2

  it('acknowledges mail when its turn is durable, and asks the model meanwhile', async () => {
    const { model, asked } = answeringModel(() => ({ text: 'ok' }))
    const talk = await agentHarness({ model })
    await talk.team.send({ to: 'lead', content: 'precious' })
    const unread = () => unreadOf(talk.team.state, 'lead').length
    const seen: string[] = []
    const synced = async () => {
      seen.push(`asked ${asked.length}, unread ${unread()}`)
      for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
      seen.push(`asked ${asked.length}, unread ${unread()}`)
    }
    expect((await run({ ...talk, transcript: { ...talk.transcript, synced } })).stop.kind).toBe('finished')
    expect(seen.slice(0, 2)).toEqual(['asked 1, unread 1', 'asked 1, unread 1'])
    expect(unread()).toBe(0)
  }) // F1, F2

  it('runs a call with effects only when the answer that asks for it is durable', async () => {
    const done: string[] = []
    const input = z.object({})
    const tool = (name: string, more: { isReadOnly?: true; isRepeatable?: () => true }) =>
      defineTool({ name, description: 'x', input, ...more, run: () => String(done.push(name)) }) as Tool
    const tools = [tool('look', { isReadOnly: true }), tool('repeat', { isRepeatable: () => true }), tool('change', {})]
    const calls = tools.map(({ name }) => ({ id: name, tool: name }))
    const { model } = answeringModel(
      () => ({ calls }),
      () => ({ text: 'ok' }),
    )
    const talk = await agentHarness({ model, tools })
    await talk.transcript.addInput(userTurn(['go']), [])
    const synced = async () => {
      done.push('durable')
    }
    await run({ ...talk, transcript: { ...talk.transcript, synced } })
    expect(done.slice(0, 4)).toEqual(['look', 'repeat', 'durable', 'change'])
  }) // F39

  it('folds what the older generation wrote before the line that opened the newer one', async () => {
    const place = createPlace()
    const store = await openMemoryStore(place)
    const old = await openTranscript({ log: await store.log('web/transcripts/lead'), generation: 1 })
    const log = await store.log('web/transcripts/lead')
    let isOpening = true
    const young = await openTranscript({
      generation: 2,
      log: {
        ...log,
        async append(records) {
          if (isOpening) {
            await old.addInput(userTurn(['just now']), ['m7'])
            await old.synced()
          }
          isOpening = false
          return log.append(records)
        },
      },
    })
    expect([...young.state.mail.keys()]).toEqual(['m7'])
  })
})
