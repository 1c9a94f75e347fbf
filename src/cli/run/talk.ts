import type { SessionEvent } from '../../agent/session-event.ts'
import type { Retry, ToolCall } from '../../models/model.ts'
import { oneLine } from '../screen.ts'

/** What somebody at a terminal is told while they wait for the answer; undefined for what is not worth a line. */
export function talkOf(event: SessionEvent): string | undefined {
  const who = event.agent === 'lead' ? '' : `[${event.agent}] `
  switch (event.type) {
    case 'tool_started':
      return `${who}${calledName(event.call)} ${oneLine(told(event.call.input))}`.trimEnd()
    case 'tool_finished':
      return event.denied === undefined
        ? undefined
        : `${who}${event.call.toolName} was denied: ${oneLine(event.denied)}`
    case 'waiting':
      return `${who}waiting for ${event.provider}: ${Math.ceil(event.seconds)} s (${oneLine(event.why)})${retried(event.retry)}`
    case 'fallback':
      return `${who}${event.from} failed, asking ${event.to}: ${oneLine(event.why)}`
    case 'compacted':
      return `${who}the conversation was summarised: about ${event.before} tokens became ${event.after}`
    case 'compaction_failed':
      return `${who}the conversation could not be summarised and goes on as it is: ${oneLine(event.why)}`
    case 'hook':
      return event.outcome === 'passed'
        ? undefined
        : `${who}hook ${oneLine(event.command)} ${event.outcome}: ${oneLine(event.why ?? '')}`
    default:
      return undefined
  }
}

/**
 * What has to be said in a pipe too: that a provider cannot be reached, or fails, and is tried again. Once, until it
 * answers; each further try would only fill a log.
 */
export function createTrouble(): (event: SessionEvent) => string | undefined {
  const silent = new Set<string>()
  return (event) => {
    if (event.type === 'answered') silent.delete(event.agent)
    if (event.type === 'fallback') return talkOf(event)
    if (event.type !== 'waiting' || event.retry === undefined || silent.has(event.agent)) return undefined
    silent.add(event.agent)
    const who = event.agent === 'lead' ? '' : `[${event.agent}] `
    return `${who}${oneLine(event.why, 400)}${retried(event.retry)}`
  }
}

function retried(retry: Retry | undefined): string {
  if (retry === undefined) return ''
  const { tried, of, givesUpIn } = retry
  return ` Trying again (${tried} of ${of} tries failed; it is given up after ${of}, in about ${Math.ceil(givesUpIn)} s).`
}

/** A tool by its name; what `Task` sends out is told apart. */
function calledName({ toolName, input }: ToolCall): string {
  const { name, run_in_background } = input as Record<string, unknown>
  if (toolName !== 'Task') return toolName
  if (typeof name === 'string') return `Task(teammate:${oneLine(name, 64)})`
  return run_in_background === true ? 'Task(bg)' : 'Task'
}

/** The one field of a call that says most. */
function told(input: unknown): string {
  const { command, path, pattern, prompt, task_id } = input as Record<string, unknown>
  const first = command ?? path ?? pattern ?? prompt ?? task_id
  return typeof first === 'string' ? first : ''
}
