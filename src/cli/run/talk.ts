import type { ToolCall } from '../../ports/model.ts'
import type { SessionEvent } from '../../session/session.ts'
import { oneLine } from '../screen.ts'

/** What somebody at a terminal is told while they wait for the answer; undefined for what is not worth a line. */
export function talkOf(event: SessionEvent): string | undefined {
  const who = event.agent === 'lead' ? '' : `[${event.agent}] `
  switch (event.type) {
    case 'calling':
      return `${who}${calledName(event.call)} ${oneLine(told(event.call.input))}`.trimEnd()
    case 'called':
      return event.denied === undefined
        ? undefined
        : `${who}${event.call.toolName} was denied: ${oneLine(event.denied)}`
    case 'waiting':
      return `${who}waiting for ${event.provider}: ${Math.ceil(event.seconds)} s (${oneLine(event.why)})`
    case 'fallback':
      return `${who}${event.from} failed, asking ${event.to}: ${oneLine(event.why)}`
    case 'compacted':
      return `${who}the conversation was summarised: about ${event.before} tokens became ${event.after}`
    case 'compaction failed':
      return `${who}the conversation could not be summarised and goes on as it is: ${oneLine(event.why)}`
    case 'hook':
      return event.outcome === 'passed'
        ? undefined
        : `${who}hook ${oneLine(event.command)} ${event.outcome}: ${oneLine(event.why ?? '')}`
    default:
      return undefined
  }
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
