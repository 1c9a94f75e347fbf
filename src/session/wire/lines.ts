import { attachmentOf } from '../../agent/input/mail-attachments.ts'
import type { SessionEvent } from '../../agent/session-event.ts'
import type { TypedPart } from '../../agent/transcript/typed-part.ts'
import type { AssistantTurn, Reply, UserTurn } from '../../models/model.ts'
import type { TeamEvent } from '../../team/event.ts'
import type { Usage } from '../../team/members/usage.ts'
import type { ToolResult } from '../../tools/tool.ts'
import type { Session } from '../session.ts'
import type { AssistantBlock, Line, UserBlock, WireUsage } from './envelope.ts'

type InitLine = Extract<Line, { subtype: 'init' }>
/** Parts of answers have lines of their own. */
type EventLine = Exclude<Line, { type: 'stream_event' }>

/** The first line of a run. */
export function initLine(session: Session, about: { cwd: string; permissionMode: string; version: string }): InitLine {
  const { id, model, tools, sandbox, mcpServers, prompts } = session
  const { cwd, permissionMode, version } = about
  const line = { type: 'system', subtype: 'init', session_id: id, agent: 'lead' } as const
  const mcp = {
    ...(mcpServers.length > 0 && { mcp_servers: mcpServers.map(({ name, status }) => ({ name, status })) }),
    ...(prompts.length > 0 && { slash_commands: [...prompts] }),
  }
  return { ...line, cwd, model, tools: [...tools], ...mcp, permissionMode, sandbox, version }
}

/** The line of one event; undefined for events that only a terminal shows. */
export function eventLine(event: SessionEvent, session_id: string): EventLine | undefined {
  const { agent } = event
  const line = { session_id, agent }
  const conversation = { ...line, parent_tool_use_id: 'parent' in event ? (event.parent ?? null) : null }
  switch (event.type) {
    case 'input_received':
      return {
        ...{ type: 'user', ...conversation, message: { role: 'user', content: userBlocks(event.turn) } },
        ...(event.interrupted && { interrupted: true }),
        ...(event.typed && { typed: typedBlocks(event.turn, event.typed) }),
      }
    case 'answered': {
      const { reply } = event
      const { model, turn, usage, cost } = reply
      const content = assistantBlocks(turn)
      const message = { type: 'message', role: 'assistant', model, content } as const
      const rest = { stop_reason: stopReason(reply), usage: wireUsage(usage) }
      return { type: 'assistant', ...conversation, message: { ...message, ...rest }, cost_usd: cost }
    }
    case 'tool_finished':
      return {
        type: 'user',
        ...conversation,
        message: { role: 'user', content: [resultBlock(event.call.toolCallId, event.result)] },
      }
    case 'progress':
      return { type: 'deskmates/progress', ...line, tool_use_id: event.call, text: event.text }
    case 'waiting': {
      const { provider, seconds, why } = event
      return { type: 'deskmates/waiting', ...line, provider, seconds, why }
    }
    case 'fallback': {
      const { from, to, why } = event
      return { type: 'deskmates/fallback', ...line, from, to, why }
    }
    case 'compacted': {
      const { trigger, before, after, usage, cost } = event
      const about = { trigger, pre_tokens: before, post_tokens: after }
      const paid = { usage: wireUsage(usage), cost_usd: cost }
      return { type: 'system', subtype: 'compact_boundary', ...line, compact_metadata: about, ...paid }
    }
    case 'compaction_failed':
      return { type: 'deskmates/compact_failed', ...line, why: event.why }
    case 'team':
      return isReported(event.agent, event.event)
        ? { type: 'deskmates/team', ...line, team: event.team, event: event.event }
        : undefined
    case 'note':
    case 'problem':
      return { type: 'deskmates/note', ...line, text: event.text }
    case 'hook': {
      const { event: name, command, tool, outcome, why } = event
      return {
        type: 'deskmates/hook',
        ...line,
        event: name,
        command,
        ...(tool !== undefined && { tool }),
        outcome,
        ...(why !== undefined && { why }),
      }
    }
    case 'text':
    case 'reasoning':
    case 'tool_call':
    case 'tool_started':
    case 'limits':
      return undefined
    default:
      return event satisfies never
  }
}

const REPORTED_ELSEWHERE = new Set(['usage', 'message.delivered', 'agent.health', 'external.received'])

/** Leaves out what other lines report already: usage, delivery, the user's own prompt, the activity of the lead. */
function isReported(agent: string, event: TeamEvent): boolean {
  if (REPORTED_ELSEWHERE.has(event.type)) return false
  if (event.type === 'message.sent') return event.message.from !== 'user'
  return event.type !== 'member.activity' || agent !== 'lead'
}

function stopReason({ end, turn }: Reply): Extract<Line, { type: 'assistant' }>['message']['stop_reason'] {
  if (end === 'length') return 'max_tokens'
  if (end === 'refused') return 'refusal'
  return turn.content.some(({ type }) => type === 'tool-call') ? 'tool_use' : 'end_turn'
}

/** An answer as Anthropic's content blocks, whichever provider it came from. */
function assistantBlocks({ content }: AssistantTurn): AssistantBlock[] {
  return content.flatMap((part): AssistantBlock[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }]
      case 'reasoning': {
        const signature = part.providerOptions?.anthropic?.signature
        return [{ type: 'thinking', thinking: part.text, ...(typeof signature === 'string' && { signature }) }]
      }
      case 'tool-call':
        return [
          { type: 'tool_use', id: part.toolCallId, name: part.toolName, input: part.input as Record<string, unknown> },
        ]
      default:
        // Files that a provider made and results of tools that it ran itself have no block in this envelope.
        return []
    }
  })
}

/** Parts without a block, such as images, do not count. */
function typedBlocks({ content }: UserTurn, typed: readonly TypedPart[]): { block: number; text: string }[] {
  return typed.flatMap(({ part, text }) => {
    const words = content[part]
    if (words?.type !== 'text') return []
    return [{ block: userBlocks({ role: 'user', content: content.slice(0, part) }).length, text: text ?? words.text }]
  })
}

function userBlocks({ content }: UserTurn): UserBlock[] {
  return content.flatMap((part): UserBlock[] => {
    if (part.type !== 'text') return []
    const attachment = attachmentOf(part)
    if (!attachment) return [{ type: 'text', text: part.text }]
    const source = { type: 'text', media_type: 'text/plain', data: part.text } as const
    return [{ type: 'document', source, title: attachment.file, context: attachment.about }]
  })
}

function resultBlock(id: string, { text, isError = false, images = [] }: ToolResult): UserBlock {
  const imageBlocks = images.map(({ data, mediaType }) => ({
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: mediaType, data },
  }))
  const content = imageBlocks.length === 0 ? text : [{ type: 'text' as const, text }, ...imageBlocks]
  return { type: 'tool_result', tool_use_id: id, content, is_error: isError }
}

export function wireUsage({ input, cacheRead, cacheWrite, output }: Usage): WireUsage {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  }
}
