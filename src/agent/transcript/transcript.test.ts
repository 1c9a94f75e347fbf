import { describe, expect, it, vi } from 'vitest'
import type { Log } from '../../journal/log/store.ts'
import { Superseded } from '../../journal/log/store-errors.ts'
import { scheduler } from '../../journal/scheduler.ts'
import type { Reply } from '../../models/model.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { openTranscript } from './transcript.ts'
import { type CallResult, unanswered } from './transcript-fold.ts'

const said = (text: string) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] })

function reply(text: string, ...calls: string[]): Reply {
  return {
    turn: {
      role: 'assistant',
      content: [
        { type: 'text', text },
        ...calls.map((id) => ({ type: 'tool-call' as const, toolCallId: id, toolName: 'bash', input: {} })),
      ],
    },
    end: 'finished',
    usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 },
    cost: null,
    model: 'scripted/x',
  }
}

const result = (id: string, value = 'ok'): CallResult => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'bash',
  output: { type: 'text', value },
})

function conversation(place = createPlace()) {
  return async (generation: number) => {
    const store = await openMemoryStore(place)
    return openTranscript({ log: await store.log('web/transcripts/lead'), generation })
  }
}

describe('a transcript', () => {
  it('restores the whole conversation for the next generation', async () => {
    const open = conversation()
    const first = await open(1)
    await first.addInput(said('hello'), ['m1'])
    await first.answer(reply('looking', 'a', 'b'))
    await first.result(result('b', 'second'))
    await first.result(result('a', 'first'))
    await first.answer(reply('done'))
    await first.synced()
    const second = await open(2)
    expect(second.state.turns).toEqual(first.state.turns)
    expect(second.state.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect([...second.state.mail.keys()]).toEqual(['m1'])
  }) // F38

  /** Says what was written together, and what was synced. */
  async function watched() {
    const log = await (await openMemoryStore(createPlace())).log('web/transcripts/lead')
    const written: string[][] = []
    const synced: string[][] = []
    const trouble: Error[] = []
    const watched: Log = {
      ...log,
      async append(records) {
        const [error] = trouble
        if (error) throw error
        const { outcomes } = await log.append(records)
        const what = records.map((record) => Object.keys(record)[2]!)
        written.push(what)
        return {
          outcomes,
          get durable() {
            synced.push(what)
            return Promise.resolve()
          },
        }
      },
    }
    const talk = await openTranscript({ log: watched, generation: 1 })
    return { talk, written, synced, trouble }
  }

  it('makes turns durable soon, with all later ones, or at once for a caller that waits', async () => {
    vi.useFakeTimers()
    try {
      const { talk, synced } = await watched()
      await talk.addInput(said('go'), ['m1'])
      await talk.answer(reply('', 'a'))
      await talk.result(result('a'))
      expect(synced).toEqual([])
      await vi.runAllTimersAsync()
      expect(synced).toHaveLength(1)
      expect(synced[0]?.at(-1)).toBe('result')
      await talk.synced()
      expect(synced).toHaveLength(1)
      await talk.answer(reply('', 'b'))
      await talk.synced()
      await vi.runAllTimersAsync()
      expect(synced.map((records) => records.at(-1))).toEqual(['result', 'assistant'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('writes an answer at once, and input when the process is idle or before the next write', async () => {
    const { talk, written } = await watched()
    await talk.answer(reply('', 'a', 'b'))
    await talk.result(result('a'), {}, true)
    await talk.result(result('b'), {}, true)
    expect(talk.state.turns.map(({ role }) => role)).toEqual(['assistant', 'tool'])
    expect(written).toEqual([['open'], ['assistant']])
    await scheduler.whenIdle()
    await talk.addInput(said('and now?'), ['m1'])
    await talk.answer(reply('', 'c'))
    await talk.result(result('c'))
    expect(written.slice(2)).toEqual([['result', 'result'], ['user', 'assistant'], ['result']])
  })

  it('reports a failed background write to the next caller, and loses nothing once writing works', async () => {
    const { talk, written, trouble } = await watched()
    await talk.answer(reply('', 'a', 'b'))
    trouble.push(new Error('no space left'))
    await talk.result(result('a'), {}, true)
    await scheduler.whenIdle()
    await expect(talk.result(result('b'), {}, true)).rejects.toThrow('no space left')
    await expect(talk.synced()).rejects.toThrow('no space left')
    trouble.pop()
    await talk.result(result('b'), {}, true)
    await talk.synced()
    expect(written.flat()).toEqual(['open', 'assistant', 'result', 'result'])
    expect(talk.state.turns.map(({ role }) => role)).toEqual(['assistant', 'tool'])
  })

  it('puts the results of a turn in the order of its calls once all are complete', async () => {
    const talk = await conversation()(1)
    await talk.addInput(said('go'), [])
    await talk.answer(reply('', 'a', 'b', 'c'))
    await Promise.all(['c', 'a'].map((id) => talk.result(result(id))))
    expect(talk.state.turns.at(-1)?.role).toBe('assistant')
    expect(unanswered(talk.state).map(({ toolCallId }) => toolCallId)).toEqual(['b'])
    await talk.result(result('b'))
    expect(talk.state.turns.at(-1)).toEqual({ role: 'tool', content: ['a', 'b', 'c'].map((id) => result(id)) })
    expect(unanswered(talk.state)).toEqual([])
  }) // F10

  it('expects no result of a call that the provider carried out itself', async () => {
    const talk = await conversation()(1)
    await talk.addInput(said('search'), [])
    const { turn, ...rest } = reply('found', 'a')
    const own = turn.content.map((part) => (part.type === 'tool-call' ? { ...part, providerExecuted: true } : part))
    await talk.answer({ ...rest, turn: { role: 'assistant', content: own } })
    expect(unanswered(talk.state)).toEqual([])
    expect(talk.state.turns.at(-1)?.role).toBe('assistant')
  }) // F10

  it('ignores a result that belongs to no open call', async () => {
    const talk = await conversation()(1)
    await talk.answer(reply('', 'a'))
    await talk.result(result('x'))
    await talk.result(result('a'))
    await talk.result(result('a', 'again'))
    expect(talk.state.turns.at(-1)).toEqual({ role: 'tool', content: [result('a')] })
  })

  it('joins input that came before the answer of the model into one user turn', async () => {
    const talk = await conversation()(1)
    await talk.addInput(said('one'), ['m1'])
    await talk.addInput(said('two'), ['m2'])
    expect(talk.state.turns).toEqual([{ role: 'user', content: [...said('one').content, ...said('two').content] }])
  }) // F10

  it('rejects what an older generation writes after a newer one opened it', async () => {
    const open = conversation()
    const old = await open(1)
    await old.addInput(said('hello'), ['m1'])
    await old.synced()
    const young = await open(2)
    await old.addInput(said('too late'), ['m2'])
    await expect(old.answer(reply('too late', 'a'))).rejects.toThrow(Superseded)
    await expect(old.result(result('a'))).rejects.toThrow(Superseded)
    await young.answer(reply('mine'))
    await young.synced()
    const next = await open(3)
    expect(JSON.stringify(next.state.turns)).not.toContain('too late')
    expect(next.state.turns).toHaveLength(2)
    expect([...next.state.mail.keys()]).toEqual(['m1'])
  })

  it('remembers running process groups until it has the result of their call', async () => {
    const open = conversation()
    const first = await open(1)
    await first.answer(reply('on', 'a', 'b'))
    await first.began({ pid: 7, started: '100', of: 'a' })
    await first.began({ pid: 8, started: '101', of: 'b' })
    await first.result(result('a'))
    await first.synced()
    expect([...(await open(2)).state.running.values()]).toEqual([{ pid: 8, started: '101', of: 'b' }])
  })

  it('remembers jobs until their end was reported to the model, and counts them all', async () => {
    const open = conversation()
    const first = await open(1)
    for (const [id, pid] of [
      ['b1', 7],
      ['b2', 8],
    ] as const) {
      await first.beganJob({ id, about: 'npm test' })
      await first.began({ pid, started: '100', of: id })
    }
    for (const id of ['b1', 'b2', 'b9']) await first.endedJob({ id, state: 'completed', summary: 'exit code 0' })
    await first.addInput(said('b1 has ended'), [], ['b1'])
    await first.synced()
    const { state } = await open(2)
    expect([...state.ends.values()]).toEqual([{ id: 'b2', state: 'completed', summary: 'exit code 0' }])
    expect([...state.jobs]).toEqual([['b2', 'npm test']])
    expect([...state.running.values()]).toEqual([{ pid: 8, started: '100', of: 'b2' }])
    expect(state.jobCount).toBe(2)
  }) // A55
})
