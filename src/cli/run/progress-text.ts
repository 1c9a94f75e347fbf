import type { SessionEvent } from '../../agent/session-event.ts'
import type { Retry, ToolCall } from '../../models/model.ts'
import { createTeamText } from '../output/event-text.ts'
import { oneLine } from '../output/format.ts'

/** What the board and the mail show anyway, in the words of `createTeamText`. */
const SHOWN_AS_EVENTS = new Set(['TaskCreate', 'TaskUpdate', 'SendMessage', 'send_message', 'broadcast'])

/** Lines of progress for a terminal: what agents do, and what happens between them. */
export function createProgressText(): (event: SessionEvent) => string | undefined {
  const teamText = createTeamText()
  return (event) => {
    if (event.type === 'tool_started' && SHOWN_AS_EVENTS.has(event.call.toolName)) return undefined
    if (event.type !== 'team') return progressText(event)
    const text = teamText(event)
    return text && `[${oneLine(text.who, 64)}] ${oneLine(text.what)}`
  }
}

/** One line of progress; undefined for events that need none. */
function progressText(event: SessionEvent): string | undefined {
  const prefix = event.agent === 'lead' ? '' : `[${event.agent}] `
  switch (event.type) {
    case 'tool_started':
      return `${prefix}${callName(event.call)} ${oneLine(inputSummary(event.call.input))}`.trimEnd()
    case 'tool_finished':
      return event.denied === undefined
        ? undefined
        : `${prefix}${event.call.toolName} was denied: ${oneLine(event.denied)}`
    case 'waiting':
      return `${prefix}waiting for ${event.provider}: ${Math.ceil(event.seconds)} s (${oneLine(event.why)})${retried(event.retry)}`
    case 'fallback':
      return `${prefix}${event.from} failed; asking ${event.to}: ${oneLine(event.why)}`
    case 'compacted':
      return `${prefix}the conversation was summarised: about ${event.before} tokens became ${event.after}`
    case 'compaction_failed':
      return `${prefix}the conversation could not be summarised and continues as it is: ${oneLine(event.why)}`
    case 'hook':
      return event.outcome === 'passed'
        ? undefined
        : `${prefix}hook ${oneLine(event.command)} ${event.outcome}: ${oneLine(event.why ?? '')}`
    case 'note':
      // Others are warnings of the session, which it prints by itself.
      return isLogLine(event.text) ? oneLine(event.text, 400) : undefined
    default:
      return undefined
  }
}

/** `[SHUTDOWN] …`, `[BREAKER] …`: what the supervisor does with a team, in the words of the documents. */
function isLogLine(text: string): boolean {
  return /^\[[A-Z]+\] /.test(text)
}

/**
 * The warning, in a pipe too, that a provider cannot be reached or fails and is retried. Once per agent until the
 * provider answers: a line per retry would only fill a log.
 */
export function createProviderWarnings(): (event: SessionEvent) => string | undefined {
  const warned = new Set<string>()
  return (event) => {
    if (event.type === 'answered') warned.delete(event.agent)
    if (event.type === 'fallback') return progressText(event)
    if (event.type !== 'waiting' || event.retry === undefined || warned.has(event.agent)) return undefined
    warned.add(event.agent)
    const prefix = event.agent === 'lead' ? '' : `[${event.agent}] `
    return `${prefix}${oneLine(event.why, 400)}${retried(event.retry)}`
  }
}

function retried(retry: Retry | undefined): string {
  if (retry === undefined) return ''
  const { tried, of, givesUpIn } = retry
  return ` Retrying (${tried} of ${of} attempts failed; giving up after ${of}, in about ${Math.ceil(givesUpIn)} s).`
}

/** The name of the tool; for `Task` also whether it starts a teammate or a background job. */
function callName({ toolName, input }: ToolCall): string {
  const { name, run_in_background } = input as Record<string, unknown>
  if (toolName !== 'Task') return toolName
  if (typeof name === 'string') return `Task(teammate:${oneLine(name, 64)})`
  return run_in_background === true ? 'Task(bg)' : 'Task'
}

/** The most telling field of the input. */
function inputSummary(input: unknown): string {
  const { command, path, pattern, prompt, task_id } = input as Record<string, unknown>
  const first = command ?? path ?? pattern ?? prompt ?? task_id
  return typeof first === 'string' ? first : ''
}
