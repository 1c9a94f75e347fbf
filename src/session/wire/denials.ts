import type { SessionEvent } from '../../agent/session-event.ts'
import type { Result } from './envelope.ts'

type Denial = Result['permission_denials'][number]
type Called = Extract<SessionEvent, { type: 'tool_finished' }>

/** The denied tool calls that were not allowed later in the same run. */
export interface Denials {
  add(event: Called): void
  readonly list: readonly Denial[]
}

export function createDenials(): Denials {
  let open: { readonly denial: Denial; readonly subject: string; readonly byHook: boolean }[] = []
  return {
    add({ agent, call, denied, byHook = false }) {
      const { toolName, toolCallId, input } = call
      if (denied === undefined) {
        // A hook may allow a similar call after its condition is met; a rule decides on exactly this input.
        open = open.filter(
          (one) =>
            one.denial.agent !== agent ||
            one.denial.tool_name !== toolName ||
            (one.byHook ? one.subject !== subjectOf(input) : !isEqual(one.denial.tool_input, input)),
        )
        return
      }
      const denial = {
        tool_name: toolName,
        tool_use_id: toolCallId,
        tool_input: input as Record<string, unknown>,
        agent,
        reason: denied,
      }
      open.push({ denial, subject: subjectOf(input), byHook })
    },
    get list() {
      return open.map(({ denial }) => denial)
    },
  }
}

/** The file, task or program of a call, to recognise a similar one. */
function subjectOf(input: unknown): string {
  const { path, taskId, command } = (input ?? {}) as Record<string, unknown>
  if (typeof path === 'string') return `path ${path}`
  if (typeof taskId === 'string') return `task ${taskId}`
  if (typeof command !== 'string') return ''
  const [program = '', first = ''] = command.trim().split(/\s+/)
  return `command ${program} ${/^\w/.test(first) ? first : ''}`
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
