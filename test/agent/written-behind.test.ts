import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Limits } from '../../src/agent/agent.ts'
import { inputBudget } from '../../src/agent/input/choose-mail.ts'
import { createInbox, userTurn } from '../../src/agent/input/inbox.ts'
import { openTranscript } from '../../src/agent/transcript/transcript.ts'
import type { CallResult } from '../../src/agent/transcript/transcript-fold.ts'
import type { Log } from '../../src/journal/log/store.ts'
import type { Reply } from '../../src/models/model.ts'
import { createPlace, openMemoryStore } from '../../src/stores/memory/store.ts'
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
import { createRandom } from '../storms/random.ts'

afterEach(closeAgents)

type Place = ReturnType<typeof createPlace>

const logAt = async (place: Place) => (await openMemoryStore(place)).log('web/transcripts/lead')
const takeOver = async (place: Place) => openTranscript({ log: await logAt(place), generation: 2 })

async function rounds(count = 30): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

function reply(...calls: string[]): Reply {
  const content = calls.map((id) => ({ type: 'tool-call' as const, toolCallId: id, toolName: 'x', input: {} }))
  const turn = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'x' }, ...content] }
  return { turn, end: 'finished', usage, cost: null, model: 'x' }
}

const result = (id: string): CallResult => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'x',
  output: { type: 'text', value: 'ok' },
})

/** A log that fails on demand: before an append, after it, or on a read. */
async function faulty(place = createPlace()) {
  const log = await logAt(place)
  const fails = { before: () => false, after: () => false, reading: () => false }
  const odd: Log = {
    ...log,
    async append(records) {
      if (fails.before()) throw new Error('no space left')
      const appended = await log.append(records)
      if (fails.after()) throw new Error('outcome unknown')
      return appended
    },
    async read(from) {
      if (fails.reading()) throw new Error('cannot be read')
      return log.read(from)
    },
  }
  return { place, fails, transcript: await openTranscript({ log: odd, generation: 1 }) }
}

const once = () => {
  let left = 1
  return () => left-- > 0
}

async function talkOn({ transcript }: Awaited<ReturnType<typeof faulty>>, more: Parameters<typeof agentHarness>[0]) {
  const talk = await agentHarness(more)
  await talk.team.send({ to: 'lead', content: 'go' })
  const { team, notices, memory } = talk
  const portion = inputBudget(more, memory.keep)
  return {
    ...talk,
    transcript,
    inbox: createInbox({ memberships: () => [{ team, by: { name: 'lead' } }], transcript, notices, budget: portion }),
  }
}

describe('a transcript that is written in the background', () => {
  it('changes nothing after another process took it over, whichever append finds out', async () => {
    const place = createPlace()
    let changes = 0
    const change = defineTool({
      name: 'change',
      description: 'x',
      input: z.object({}),
      run: () => String(++changes),
    })
    const calls = [
      { id: 'a', tool: 'echo', input: { text: 'hi' } },
      { id: 'b', tool: 'change' },
    ]
    const talk = await agentHarness({
      model: answeringModel(() => ({ calls })).model,
      tools: [echo as Tool, change as Tool],
      place,
      async mayDo(_, { toolCallId }) {
        if (toolCallId === 'a') await takeOver(place)
        // The model is asked while the input is written.
        else await rounds()
        return { allowed: true }
      },
    })
    await talk.team.send({ to: 'lead', content: 'go' })
    expect((await run(talk)).stop).toMatchObject({ kind: 'error', error: { code: 'superseded' } })
    expect(changes).toBe(0)
  }) // F33

  it('receives no input twice when its records could not be read back', async () => {
    const { transcript, fails } = await faulty()
    await transcript.addInput(userTurn(['once']), ['m1'])
    fails.reading = once()
    await rounds()
    await transcript.answer(reply())
    expect(transcript.state.turns.map(({ role }) => role)).toEqual(['user', 'assistant'])
  }) // F1

  it('forgets an answer that could not be written, with its calls', async () => {
    const broken = await faulty()
    const { model, asked } = answeringModel(
      () => {
        broken.fails.before = once()
        return { calls: [{ id: 'a', tool: 'echo', input: { text: 'hi' } }] }
      },
      () => ({ text: 'fine' }),
    )
    const talk = await talkOn(broken, { model, tools: [echo as Tool] })
    expect((await run(talk)).stop).toMatchObject({ kind: 'error', error: { message: 'no space left' } })
    await talk.team.send({ to: 'lead', content: 'again' })
    expect((await run(talk)).stop).toMatchObject({ kind: 'finished', text: 'fine' })
    expect(asked.at(-1)?.map(({ role }) => role)).toEqual(['user'])
    expect((await takeOver(broken.place)).state.turns).toEqual(talk.transcript.state.turns)
  }) // F37, F38

  it('reports at its end what could not be written, however it ended', async () => {
    const broken = await faulty()
    const limits: Limits = { turns: 1 }
    const look = defineTool({
      name: 'look',
      description: 'x',
      input: z.object({}),
      isReadOnly: true,
      run() {
        broken.fails.before = () => true
        return 'seen'
      },
    })
    const { model } = answeringModel(() => ({ calls: [{ id: 'a', tool: 'look' }] }))
    const talk = await talkOn(broken, { model, tools: [look as Tool], limits })
    expect((await run(talk)).stop).toMatchObject({ kind: 'error', error: { message: 'no space left' } })
    await expect(Promise.resolve(broken.transcript[Symbol.asyncDispose]())).rejects.toThrow('no space left')
  }) // F37

  it('keeps its earlier state when a later append fails', async () => {
    const { transcript, place } = await faulty()
    await transcript.answer(reply('a'))
    await transcript.result(result('a'), {}, true)
    const never = () => Promise.reject(new Error('the journal is gone'))
    await transcript.addInput(userTurn(['go']), ['m1'], [], never)
    await expect(transcript.synced()).rejects.toThrow('the journal is gone')
    expect((await takeOver(place)).state.turns.map(({ role }) => role)).toEqual(['assistant', 'tool'])
  })

  it('is the same in the log and in memory, despite failures and concurrent writers', async () => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = createRandom(seed)
      const { transcript, fails, place } = await faulty()
      let isFaulty = true
      const now = () => isFaulty && random.below(4) === 0
      Object.assign(fails, { before: now, after: now, reading: now })
      const isTrue = async () => {
        if (now()) throw new Error('not yet')
      }
      let calls = 0
      const steps = [
        (i: number) => transcript.addInput(userTurn([`u${i}`]), [`m${i}`], [], isTrue),
        () => transcript.answer(reply(...(random.below(2) ? [`c${calls++}`] : []))),
        () => transcript.result(result(`c${random.below(calls + 1)}`), {}, random.below(2) === 0),
        (i: number) => transcript.beganJob({ id: `j${i}`, about: 'x' }),
        () => transcript.synced(),
      ]
      const doing: Promise<void>[] = []
      for (let i = 0; i < 25; i++) {
        const step = random
          .pick(steps)(i)
          .catch(() => {})
        doing.push(step)
        if (random.below(2)) await step
        if (random.below(3) === 0) await rounds(2)
      }
      await Promise.all(doing)
      isFaulty = false
      await transcript.synced()
      const { state } = await takeOver(place)
      expect({ seed, ...state, generation: 1 }).toEqual({ seed, ...transcript.state })
    }
  }) // F38
})
