import { decodeTime } from 'ulid'
import type { SessionEvent } from '../../agent/session-event.ts'
import type { CallResult } from '../../agent/transcript/transcript-fold.ts'
import { advance, START } from '../../journal/log/cursor.ts'
import type { LogRecord, Store } from '../../journal/log/store.ts'
import type { AssistantTurn, Reply, UserTurn } from '../../models/model.ts'
import type { ToolResult } from '../../tools/tool.ts'
import { eventLine } from '../wire/lines.ts'
import type { TimedLine } from '../wire/live-line.ts'

/** An agent's conversation in its transcript. */
export interface Conversation {
  readonly session: string
  readonly team: string
  readonly agent: string
}

/** The last `most` lines of a conversation, as they were written while it took place. */
export async function readHistory(store: Store, at: Conversation, most: number): Promise<TimedLine[]> {
  const log = await store.log(`${at.team}/transcripts/${at.agent}`)
  const lines: TimedLine[] = []
  let generation = 0
  try {
    let cursor = START
    for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor)) {
      for (const recorded of batch) {
        const { record } = recorded
        cursor = advance(cursor, recorded)
        const own = typeof record.generation === 'number' ? record.generation : 0
        // What an older generation wrote behind the line of a newer one does not count.
        if (own < generation) continue
        generation = own
        const event = eventIn(record, at.agent)
        const line = event && eventLine(event, at.session)
        if (line && line.type !== 'deskmates/team') lines.push({ at: timeOf(record), line })
      }
      if (lines.length > most) lines.splice(0, lines.length - most)
    }
  } finally {
    await log.close()
  }
  return lines
}

/** What was shown when the record was written. Results of tools carry their call by its id only. */
function eventIn(record: LogRecord, agent: string): SessionEvent | undefined {
  if (record.user) return { type: 'input_received', agent, turn: record.user as unknown as UserTurn, mail: [] }
  if (record.assistant) {
    const { end, usage, cost, model } = record as unknown as Reply
    const reply = { turn: record.assistant as unknown as AssistantTurn, end, usage, cost, model }
    return { type: 'answered', agent, reply }
  }
  if (record.result) {
    const { toolCallId, toolName, output } = record.result as unknown as CallResult
    const call = { type: 'tool-call', toolCallId, toolName, input: {} } as const
    return { type: 'tool_finished', agent, call, result: resultOf(output) }
  }
  return record.compacted ? { type: 'note', agent, text: 'The conversation before this was summarised.' } : undefined
}

function resultOf(output: CallResult['output']): ToolResult {
  switch (output.type) {
    case 'text':
      return { text: output.value }
    case 'error-text':
      return { text: output.value, isError: true }
    case 'content':
      return { text: output.value.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n') }
    default:
      return { text: '' }
  }
}

/** In seconds; ids of records sort by time. */
function timeOf({ id }: LogRecord): number {
  try {
    return decodeTime(id) / 1000
  } catch {
    return 0
  }
}
