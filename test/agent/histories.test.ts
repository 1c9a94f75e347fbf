import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { turnsToKeep } from '../../src/agent/compaction/cut.ts'
import { demotable, demote } from '../../src/agent/compaction/demote.ts'
import { openTranscript, type Transcript } from '../../src/agent/transcript/transcript.ts'
import { type CallResult, unanswered } from '../../src/agent/transcript/transcript-fold.ts'
import type { Reply, Turn, UserTurn } from '../../src/models/model.ts'
import { createPlace, openMemoryStore } from '../../src/stores/memory/store.ts'
import { readFullTranscript, transcriptFaults } from './check-transcript.ts'

/** The steps of a conversation; the number of a call is the length of its result in words. */
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('hear' as const), words: fc.nat(60), isPicture: fc.boolean() }),
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('answer' as const),
        calls: fc.array(fc.constantFrom(1, 30, 1500), { maxLength: 4 }),
        order: fc.nat(),
      }),
    },
    fc.record({ do: fc.constant('compact' as const), keep: fc.constantFrom(0, 50, 400, 4000) }),
    fc.constant({ do: 'demote' as const }),
  ),
  { minLength: 15, maxLength: 50 },
)

describe('a history with random summaries and demotions', () => {
  it('keeps each call with its result, loses and repeats nothing, and keeps the full log', async () => {
    let compactions = 0
    let demotions = 0
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(3), async (plan, open) => {
        const place = createPlace()
        const store = await openMemoryStore(place)
        const talk = await openTranscript({ log: await store.log('web/transcripts/lead'), generation: 1 })
        const story = createStory(talk)
        for (const step of plan) {
          const { turns } = talk.state
          if (step.do === 'hear') await story.hear(step)
          else if (step.do === 'answer') await story.answer(step.calls, step.order, 0)
          else if (step.do === 'demote') {
            const candidates = demotable(turns)
            demotions += candidates.length
            await talk.demote(demote(candidates, { keep: (content) => story.keep(content) }, talk.state))
          } else {
            const keep = turnsToKeep(turns, { keep: step.keep, most: 3000 })
            if (keep === undefined) continue
            compactions++
            const before = turns.slice(turns.length - keep)
            await talk.compact({ turn: user('the summary'), keep, before: 1 }, reply('', []))
            // The kept turns are unchanged.
            expect(textsOf(turns).slice(1)).toEqual(textsOf(before))
          }
          expect(transcriptFaults(turns)).toEqual([])
        }
        await story.answer([1, 1, 1], 0, open)
        expect(transcriptFaults(talk.state.turns, talk.state.open)).toEqual([])
        // Calls without results stay too, and still get their results.
        const keep = turnsToKeep(talk.state.turns, { keep: 0, most: 3000 })
        if (keep !== undefined) await talk.compact({ turn: user('the summary'), keep, before: 1 }, reply('', []))
        for (const { toolCallId } of unanswered(talk.state)) await story.result(toolCallId, 1)
        expect(transcriptFaults(talk.state.turns)).toEqual([])

        await talk.synced()
        const again = await openTranscript({ log: await store.log('web/transcripts/lead'), generation: 2 })
        expect(again.state.turns).toEqual(talk.state.turns)
        expect([...again.state.mail.keys()]).toEqual(story.mail)
        const archive = await readFullTranscript(await store.log('web/transcripts/lead'))
        expect(transcriptFaults(archive.turns)).toEqual([])
        expect(textsOf(archive.turns)).toEqual(story.texts)
        const shown = textsOf(talk.state.turns).filter(
          (text) => text !== 'the summary' && !text.startsWith('[Output of'),
        )
        expect(new Set(shown).size).toBe(shown.length)
        for (const text of shown) expect(story.texts).toContain(text)
      }),
      { numRuns: 200 },
    )
    expect(compactions).toBeGreaterThan(100)
    expect(demotions).toBeGreaterThan(20)
  }) // A31, A32, A36, F53
})

/** Every text is different, so that a missing or repeated one is noticed. */
function createStory(talk: Transcript) {
  let count = 0
  const texts: string[] = []
  const mail: string[] = []
  const results = new Map<string, string>()
  const say = (words: number) => `${++count}:${' word'.repeat(words)}`
  const result = async (id: string, words: number) => {
    const value = results.get(id) ?? say(words)
    const part: CallResult = { type: 'tool-result', toolCallId: id, toolName: 'bash', output: { type: 'text', value } }
    await talk.result(part)
  }
  return {
    texts,
    mail,
    keep: (content: Uint8Array | string) => {
      expect(texts).toContain(content)
      return 'outputs/1.txt'
    },
    async hear({ words, isPicture }: { words: number; isPicture: boolean }) {
      if (talk.state.open.size > 0) return
      const text = say(words)
      texts.push(text)
      mail.push(`m${count}`)
      const picture = { type: 'file' as const, data: 'AAAA', mediaType: 'image/png' }
      const turn = user(text)
      await talk.addInput(isPicture ? { ...turn, content: [...turn.content, picture] } : turn, [`m${count}`])
    },
    async answer(sizes: readonly number[], order: number, open: number) {
      if (talk.state.turns.length === 0 || talk.state.turns.at(-1)?.role === 'assistant') return
      const text = say(3)
      const calls = sizes.map((_, i) => `call-${count}-${i}`)
      texts.push(text)
      for (const [i, id] of calls.entries()) {
        results.set(id, say(sizes[i]!))
        texts.push(results.get(id)!)
      }
      await talk.answer(reply(text, calls))
      const from = calls.length === 0 ? 0 : order % calls.length
      const shuffled = [...calls.slice(from), ...calls.slice(0, from)]
      for (const id of shuffled.slice(0, calls.length - open)) await result(id, 1)
    },
    result,
  }
}

function user(text: string): UserTurn {
  return { role: 'user', content: [{ type: 'text', text }] }
}

function reply(text: string, calls: readonly string[]): Reply {
  const asked = calls.map((id) => ({ type: 'tool-call' as const, toolCallId: id, toolName: 'bash', input: {} }))
  return {
    turn: { role: 'assistant', content: [{ type: 'text', text }, ...asked] },
    end: 'finished',
    usage: { input: 5, cacheRead: 0, cacheWrite: 0, output: 1 },
    cost: null,
    model: 'x',
  }
}

function textsOf(turns: readonly Turn[]): string[] {
  return turns.flatMap((turn) =>
    turn.content.flatMap((part) => {
      if (part.type === 'text') return [part.text]
      return part.type === 'tool-result' && part.output.type === 'text' ? [part.output.value] : []
    }),
  )
}
