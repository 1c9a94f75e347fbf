import type { SessionEvent } from '../../agent/session-event.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import { createDeltaLines, type Delta } from './delta-lines.ts'
import type { Line } from './envelope.ts'

export type PartialMessage = Extract<Line, { type: 'stream_event' }>

/** Parts of answers while they stream, as lines: those to write before the line of this event. */
export function createPartialMessages(
  session_id: string,
  redactor: Redactor,
): (event: SessionEvent) => PartialMessage[] {
  const lines: PartialMessage[] = []
  /** By agent: which text or thought of its answer comes now. */
  const blocks = new Map<string, { index: number; kind: Delta['kind'] }>()
  const deltas = createDeltaLines(redactor, ({ agent, parent, kind, text }) => {
    const last = blocks.get(agent)
    const block = last?.kind === kind ? last : { index: last === undefined ? 0 : last.index + 1, kind }
    blocks.set(agent, block)
    const delta =
      kind === 'text' ? ({ type: 'text_delta', text } as const) : ({ type: 'thinking_delta', thinking: text } as const)
    const event = { type: 'content_block_delta', index: block.index, delta } as const
    lines.push({ type: 'stream_event', session_id, agent, parent_tool_use_id: parent, event })
  })
  return (event) => {
    if (event.type === 'text' || event.type === 'reasoning') {
      deltas.add(event)
      deltas.flush()
    } else if (ENDS_ANSWER.has(event.type)) {
      deltas.end(event.agent)
      blocks.delete(event.agent)
    }
    return lines.splice(0)
  }
}

/** After these an agent writes a new answer: it has one, or it is asked again. */
const ENDS_ANSWER: ReadonlySet<SessionEvent['type']> = new Set(['answered', 'waiting', 'fallback', 'input_received'])
