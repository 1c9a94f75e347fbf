import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { TimedLine } from '../../session/wire/live-line.ts'
import { type AgentCall, callId, metaOf, shownCall, tagged, textContent } from './tool-call.ts'

type AnyLine = TimedLine['line']
type UserLine = Extract<AnyLine, { type: 'user' }>
type AssistantLine = Extract<AnyLine, { type: 'assistant' }>

/** An editor shows the end of a result; the transcript has all of it. */
const MAX_RESULT_CHARS = 20_000

/**
 * What a line of the session means for an editor while it happens. Words of the lead stream; those of other agents come as whole
 * messages with the name of the agent, because parts of several answers cannot be told apart.
 */
export function liveUpdates(line: AnyLine, cwd: string): SessionUpdate[] {
  switch (line.type) {
    case 'deskmates/delta':
      return line.agent === 'lead' && line.text !== '' ? [words(line.agent, line.kind, line.text)] : []
    case 'assistant':
      return line.agent === 'lead' ? [] : wholeTexts(line)
    case 'deskmates/tool_started': {
      const { agent, tool_use_id: id, name, input } = line
      return [started({ agent, id, name, input }, cwd)]
    }
    case 'deskmates/progress':
      return [
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: callId(line.agent, line.tool_use_id),
          content: [textContent(line.text)],
        },
      ]
    case 'user':
      return results(line)
    case 'deskmates/mode':
      return [{ sessionUpdate: 'current_mode_update', currentModeId: line.mode }]
    case 'deskmates/note':
      return [words(line.agent, 'thinking', `${tagged(line.agent, line.text)}\n`)]
    case 'deskmates/waiting':
      return [words(line.agent, 'thinking', `${tagged(line.agent, line.why)}: waits ${line.seconds} s\n`)]
    case 'deskmates/record':
      return line.events.flatMap((event) => {
        if (event.type !== 'message.sent' || event.message.from === 'user') return []
        const { from, to, content } = event.message
        return [words(from, 'thinking', `${from} → ${to}: ${content}\n`)]
      })
    default:
      return []
  }
}

/** The same of a line that was written earlier, for an editor that loads the session. */
export function pastUpdates(line: AnyLine, cwd: string): SessionUpdate[] {
  if (line.type === 'assistant') {
    const calls = line.message.content.flatMap((block) =>
      block.type === 'tool_use'
        ? [started({ agent: line.agent, id: block.id, name: block.name, input: block.input }, cwd)]
        : [],
    )
    return [...wholeTexts(line), ...calls]
  }
  if (line.type !== 'user') return liveUpdates(line, cwd)
  const inputs = line.message.content.flatMap((block): SessionUpdate[] =>
    block.type === 'text' ? [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: block.text } }] : [],
  )
  return [...inputs, ...results(line)]
}

function started(call: AgentCall, cwd: string): SessionUpdate {
  return { sessionUpdate: 'tool_call', status: 'in_progress', ...shownCall(call, cwd) }
}

function results({ agent, message }: UserLine): SessionUpdate[] {
  return message.content.flatMap((block): SessionUpdate[] => {
    if (block.type !== 'tool_result') return []
    const { content, is_error, tool_use_id } = block
    const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
    const shown = parts.map((part) =>
      part.type === 'text'
        ? textContent(endOf(part.text))
        : {
            type: 'content' as const,
            content: { type: 'image' as const, data: part.source.data, mimeType: part.source.media_type },
          },
    )
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: callId(agent, tool_use_id),
        status: is_error ? 'failed' : 'completed',
        content: shown,
      },
    ]
  })
}

function wholeTexts({ agent, message }: AssistantLine): SessionUpdate[] {
  return message.content.flatMap((block) =>
    block.type === 'text' && block.text.trim() !== ''
      ? [words(agent, 'text', agent === 'lead' ? block.text : `\n**${agent}**: ${block.text}\n\n`)]
      : [],
  )
}

function words(agent: string, kind: 'text' | 'thinking', text: string): SessionUpdate {
  return {
    sessionUpdate: kind === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk',
    content: { type: 'text', text },
    _meta: metaOf(agent),
  }
}

function endOf(text: string): string {
  return text.length <= MAX_RESULT_CHARS ? text : `… ${text.slice(-MAX_RESULT_CHARS)}`
}
