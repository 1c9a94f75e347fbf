import type { SessionEvent } from '../../agent/session-event.ts'
import type { Reply } from '../../models/model.ts'
import type { TeamEvent } from '../../team/event.ts'
import type { Session } from '../session.ts'
import { assistantBlocks, resultBlock, userBlocks, wireUsage } from './content-blocks.ts'
import type { Line } from './envelope.ts'

/** The first line of a run. */
export function initLine(session: Session, about: { cwd: string; permissionMode: string; version: string }): Line {
  const { id, model, tools, sandbox } = session
  const { cwd, permissionMode, version } = about
  const line = { type: 'system', subtype: 'init', session_id: id, agent: 'lead' } as const
  return { ...line, cwd, model, tools: [...tools], permissionMode, sandbox, version }
}

/** The line of one event; undefined for events that only a terminal shows. */
export function eventLine(event: SessionEvent, session_id: string): Line | undefined {
  const { agent } = event
  const line = { session_id, agent }
  const conversation = { ...line, parent_tool_use_id: 'parent' in event ? (event.parent ?? null) : null }
  switch (event.type) {
    case 'input_received':
      return { type: 'user', ...conversation, message: { role: 'user', content: userBlocks(event.turn) } }
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
