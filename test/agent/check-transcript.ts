import { applyTurn, emptyTranscript, type TranscriptState } from '../../src/agent/transcript/transcript-fold.ts'
import { advance, START } from '../../src/journal/log/cursor.ts'
import type { Log } from '../../src/journal/log/store.ts'
import type { Turn } from '../../src/models/model.ts'

/** Every turn in the log, without later summaries and demoted results applied. */
export async function readFullTranscript(log: Log): Promise<TranscriptState> {
  const state = emptyTranscript()
  let at = START
  for (let batch = await log.read(at); batch.length > 0; batch = await log.read(at)) {
    for (const { record } of batch) if (!record.compacted && !record.demoted) applyTurn(state, record)
    at = batch.reduce(advance, at)
  }
  return state
}

/** What is wrong with the order of turns: each call has its result in the next turn, roles alternate, the user begins. */
export function transcriptFaults(turns: readonly Turn[], open: ReadonlyMap<string, unknown> = new Map()): string[] {
  return turns.flatMap((turn, at) => {
    const next = turns[at + 1]
    const asked = turn.role === 'assistant' ? idsOf(turn, 'tool-call') : []
    const answered = next?.role === 'tool' ? idsOf(next, 'tool-result') : []
    const isOpen = next === undefined && asked.length > 0 && asked.every((id) => open.has(id))
    return [
      ...(at === 0 && turn.role !== 'user' ? [`it begins with ${turn.role}`] : []),
      ...(next?.role === turn.role ? [`two turns of ${turn.role} at ${at}`] : []),
      ...(asked.join() === answered.join() || isOpen ? [] : [`${at}: asked ${asked}, answered ${answered}`]),
    ]
  })
}

function idsOf(turn: Turn, type: 'tool-call' | 'tool-result'): string[] {
  return (turn.content as readonly { type: string; toolCallId?: string }[]).flatMap((part) =>
    part.type === type ? [part.toolCallId!] : [],
  )
}
