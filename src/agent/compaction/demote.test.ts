import { expect, it } from 'vitest'
import type { Turn } from '../../models/model.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import { usage } from '../../testing/harnesses/agent-harness.ts'
import { openTranscript } from '../transcript/transcript.ts'
import { demotable, demote } from './demote.ts'

it('demotion names the file of a result that was cut before, also after a resume, and keeps others', async () => {
  const { log } = await openMemoryStore()
  const before = await openTranscript({ log: await log('web/transcripts/lead'), generation: 1 })
  const calls = ['cut', 'whole', 'c', 'd', 'e']
  const content = calls.map((toolCallId) => ({
    type: 'tool-call' as const,
    toolCallId,
    toolName: 'bash',
    input: {},
  }))
  await before.answer({ turn: { role: 'assistant', content }, end: 'finished', usage, cost: 0, model: 'scripted' })
  for (const toolCallId of calls) {
    const output = { type: 'text' as const, value: `${toolCallId} ${'word '.repeat(2000)}` }
    const about = toolCallId === 'cut' ? { outputPath: 'outputs/7-bash.txt' } : {}
    await before.result({ type: 'tool-result', toolCallId, toolName: 'bash', output }, about)
  }
  await before[Symbol.asyncDispose]()

  await using after = await openTranscript({ log: await log('web/transcripts/lead'), generation: 2 })
  for (const { state } of [before, after]) {
    const kept: unknown[] = []
    const keep = (text: string | Uint8Array) => `outputs/${kept.push(text)}-kept.txt`
    const { results } = demote(demotable(state.turns), { keep }, state)
    expect(results.map(({ text }) => text.split('read_file: ')[1])).toEqual([
      'outputs/7-bash.txt]',
      'outputs/1-kept.txt]',
    ])
    expect(kept).toEqual([expect.stringMatching(/^whole word/)])
  }
}) // A29

it('demotion leaves small results, the newest three, and those of changes, subagents and skills', () => {
  const long = 'word '.repeat(2000)
  const result = (toolName: string, value = long): Turn => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: toolName, toolName, output: { type: 'text', value } }],
  })
  const kept = ['write_file', 'edit_file', 'Task', 'Skill'].map((tool) => result(tool))
  const turns = [
    ...kept,
    result('grep', 'one line'),
    result('bash'),
    ...['read_file', 'grep', 'bash'].map((tool) => result(tool)),
  ]
  expect(demotable(turns).map(({ turn, result }) => [turn, result.toolName])).toEqual([[5, 'bash']])
})
