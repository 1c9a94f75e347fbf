import { decodeTime } from 'ulid'
import { z } from 'zod'
import type { SessionEvent } from '../../agent/session-event.ts'
import type { CallResult } from '../../agent/transcript/transcript-fold.ts'
import { TypedPart } from '../../agent/transcript/typed-part.ts'
import type { LogRecord } from '../../journal/log/store.ts'
import type { AssistantTurn, Reply, UserTurn } from '../../models/model.ts'
import type { ToolResult } from '../../tools/tool.ts'
import { eventLine } from './lines.ts'
import type { TimedLine } from './live-line.ts'

/** Whose transcript it is, in which session. */
export interface Speaker {
  readonly session: string
  readonly agent: string
}

/** Reads the records of one transcript, in their order; undefined for those that nothing was shown of. */
export function transcriptReader({ session, agent }: Speaker): (record: LogRecord) => TimedLine | undefined {
  let generation = 0
  return (record) => {
    const own = typeof record.generation === 'number' ? record.generation : 0
    // What an older generation wrote behind the line of a newer one does not count.
    if (own < generation) return undefined
    generation = own
    const event = eventIn(record, agent)
    const line = event && eventLine(event, session)
    return line && line.type !== 'deskmates/team' ? { at: timeOf(record), line } : undefined
  }
}

/** What was shown when the record was written. Results of tools carry their call by its id only. */
function eventIn(record: LogRecord, agent: string): SessionEvent | undefined {
  if (record.user) {
    const turn = record.user as unknown as UserTurn
    const typed = z.array(TypedPart).safeParse(record.typed)
    return {
      ...{ type: 'input_received', agent, turn, mail: [] },
      ...(typed.success && { typed: typed.data }),
      ...(record.interrupted === true && { interrupted: true }),
    }
  }
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
