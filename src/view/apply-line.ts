import type { Line } from '../session/wire/envelope.ts'
import type { LiveLine, TimedLine } from '../session/wire/live-line.ts'
import { apply } from '../team/apply.ts'
import type { TeamEvent } from '../team/event.ts'
import { loadState } from '../team/fold/snapshot.ts'
import { emptyState, type TeamState } from '../team/state.ts'
import {
  endCall,
  putAttachment,
  putCall,
  putInput,
  putNote,
  showProgress,
  showWhole,
  streamText,
} from './conversation.ts'
import { type AgentActivity, MAX_MAIL, MAX_NOTES, type View } from './view.ts'

type LineOf<T extends string> = Extract<TimedLine['line'], { type: T }>

/** Folds one line into the view. Lines that it does not know change nothing. */
export function applyLine(view: View, { at, line }: TimedLine): void {
  view.version++
  switch (line.type) {
    case 'system':
      return line.subtype === 'init' ? applyInit(view, line) : applySummary(view, line, at)
    case 'deskmates/state': {
      const state = emptyState()
      loadState(state, line.state)
      view.teams.set(line.team, state)
      view.watchedSince.set(line.team, at)
      return
    }
    case 'deskmates/record':
      return applyRecord(view, line)
    case 'user':
      return applyUser(view, line, at)
    case 'assistant':
      return applyAssistant(view, line, at)
    case 'deskmates/delta': {
      const agent = agentOf(view, line.agent, at, line.parent_tool_use_id)
      agent.waiting = undefined
      return streamText(agent, line.kind, line.text, at)
    }
    case 'deskmates/tool_started': {
      const { agent: name, parent_tool_use_id, tool_use_id: id, ...call } = line
      const agent = agentOf(view, name, at, parent_tool_use_id)
      agent.lastAction = actionText(call.name, call.input)
      return putCall(agent, { id, name: call.name, input: call.input }, 'running', at)
    }
    case 'deskmates/progress':
      return showProgress(agentOf(view, line.agent, at), line.tool_use_id, line.text)
    case 'deskmates/question': {
      const { id, agent, team, about } = line
      view.questions.set(id, { id, at, agent, team, about })
      return
    }
    case 'deskmates/question_closed':
      view.questions.delete(line.id)
      return
    case 'deskmates/mode':
      view.mode = line.mode
      return
    case 'deskmates/run':
      view.run = { isWorking: line.state === 'working', since: at, error: line.error }
      if (line.state === 'settled') for (const agent of view.agents.values()) endStreams(agent, at)
      return
    case 'deskmates/waiting': {
      const agent = agentOf(view, line.agent, at)
      agent.waiting = { until: at + line.seconds, why: line.why }
      return
    }
    case 'deskmates/fallback':
      return note(view, line.agent, `${line.from} failed; asking ${line.to}: ${line.why}`, at)
    case 'deskmates/note':
      return note(view, line.agent, line.text, at)
    case 'deskmates/compact_failed':
      return note(view, line.agent, `The conversation could not be summarised and continues as it is: ${line.why}`, at)
    case 'deskmates/hook':
      return line.outcome === 'passed'
        ? undefined
        : note(view, line.agent, `hook ${line.command} ${line.outcome}: ${line.why ?? ''}`, at)
    case 'result':
      return
    default:
      line satisfies never
  }
}

function applyInit(view: View, line: InitLine): void {
  const { session_id: id, model, cwd, sandbox, permissionMode } = line
  view.session = { id, model, cwd, sandbox }
  view.mode = permissionMode as View['mode']
  view.prompts = line.slash_commands ?? []
}

type InitLine = Extract<Line, { type: 'system'; subtype: 'init' }>

function applySummary(view: View, line: Exclude<LineOf<'system'>, InitLine>, at: number): void {
  const { pre_tokens, post_tokens } = line.compact_metadata
  const agent = agentOf(view, line.agent, at)
  putNote(agent, `The conversation was summarised: about ${pre_tokens} tokens became ${post_tokens}.`, at)
}

function applyRecord(
  view: View,
  { team, seq, id, at, by, events }: Extract<LiveLine, { type: 'deskmates/record' }>,
): void {
  // The team's own fold decides what a record means; a view has no second opinion.
  apply(teamIn(view, team), seq, { id, at, by: { ...by }, events: events as never })
  for (const event of events) showEvent(view, team, event, at)
}

function teamIn(view: View, name: string): TeamState {
  const known = view.teams.get(name)
  if (known) return known
  const state = emptyState()
  view.teams.set(name, state)
  return state
}

function showEvent(view: View, team: string, event: TeamEvent, at: number): void {
  if (event.type === 'message.sent' || event.type === 'external.received') {
    view.mail.push({ at, team, message: event.message, readBy: [] })
    if (view.mail.length > MAX_MAIL) view.mail.splice(0, view.mail.length - MAX_MAIL)
  }
  if (event.type === 'message.delivered')
    for (const shown of view.mail)
      if (shown.team === team && event.ids.includes(shown.message.id)) shown.readBy.push(event.member)
  if (event.type === 'member.activity') agentOf(view, event.name, at)
  // Its next generation begins a new answer.
  if (event.type === 'member.lost' || event.type === 'member.stopped' || event.type === 'member.parked')
    endStreams(agentOf(view, event.name, at), at)
}

function applyUser(view: View, line: LineOf<'user'>, at: number): void {
  const agent = agentOf(view, line.agent, at, line.parent_tool_use_id)
  for (const [i, block] of line.message.content.entries()) {
    if (block.type === 'text') {
      // An answer that streams when the next input comes was interrupted; it ends where it is.
      endStreams(agent, at)
      if (line.interrupted) putNote(agent, 'Interrupted. Say what to do instead, or go on.', at)
      else putInput(agent, block.text, line.typed && (line.typed.find((one) => one.block === i)?.text ?? null), at)
    } else if (block.type === 'document') {
      putAttachment(agent, block.title, block.context, at)
    } else if (block.type === 'tool_result') {
      const { content, is_error } = block
      const text =
        typeof content === 'string'
          ? content
          : content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n')
      endCall(agent, block.tool_use_id, text, is_error, at)
    }
  }
}

function applyAssistant(view: View, line: LineOf<'assistant'>, at: number): void {
  const agent = agentOf(view, line.agent, at, line.parent_tool_use_id)
  agent.waiting = undefined
  showWhole(agent, line.message.content, at)
  const last = line.message.content.findLast((block) => block.type === 'tool_use')
  if (last) agent.lastAction = actionText(last.name, last.input)
}

function note(view: View, name: string, text: string, at: number): void {
  view.notes.push({ at, agent: name, text })
  if (view.notes.length > MAX_NOTES) view.notes.splice(0, view.notes.length - MAX_NOTES)
  putNote(agentOf(view, name, at), text, at)
}

function agentOf(view: View, name: string, at: number, parent: string | null = null): AgentActivity {
  const known = view.agents.get(name)
  if (known) {
    known.activeAt = Math.max(known.activeAt, at)
    return known
  }
  const agent: AgentActivity = {
    name,
    parent,
    activeAt: at,
    lastAction: '',
    waiting: undefined,
    conversation: [],
  }
  view.agents.set(name, agent)
  return agent
}

/** What was being written when the agent ended stays as it is. */
function endStreams(agent: AgentActivity, at: number): void {
  for (const entry of agent.conversation) {
    if ((entry.kind === 'text' || entry.kind === 'thinking') && entry.isStreaming) entry.isStreaming = false
    if (entry.kind === 'tool' && (entry.state === 'running' || entry.state === 'called')) {
      entry.state = 'failed'
      entry.endedAt = at
    }
  }
}

/** The most telling part of a call, in one line. */
export function actionText(tool: string, input: unknown): string {
  const { command, path, pattern, name, to, taskId, task_id, subject, prompt } = (input ?? {}) as Record<
    string,
    unknown
  >
  const shown = [command, path, pattern, name, to, taskId, task_id, subject, prompt].find(
    (value) => typeof value === 'string',
  )
  return shown === undefined ? tool : `${tool} ${(shown as string).replace(/\s+/g, ' ').slice(0, 200)}`
}
