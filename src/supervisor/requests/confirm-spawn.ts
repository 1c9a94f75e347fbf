import type { TranscriptState } from '../../agent/transcript/transcript-fold.ts'
import type { Permission, ToolCallToCheck } from '../../permissions/permission.ts'
import type { Confirmation } from '../../permissions/permissions.ts'
import { FIRST_SPAWN_ADVICE, firstSpawnText } from '../../prompts/requests.ts'

/** A teammate that the lead wants to start. */
interface Wanted {
  readonly name: string
  readonly role?: string
  readonly prompt?: string
}

/**
 * Has a person confirm the first teammates of a session: all that one answer of the lead wants to start, in one question. After
 * an approval none is asked about any more; after a refusal the lead may propose another team, which is asked about again.
 */
export function createSpawnConfirmation(
  conversation: () => Pick<TranscriptState, 'open' | 'answer'>,
): (call: ToolCallToCheck) => Confirmation | undefined {
  let isConfirmed = false
  let asked: { readonly answer: string; readonly permission: Promise<Permission> } | undefined

  return (call) => {
    if (isConfirmed || wantedBy(call) === undefined) return undefined
    const { open, answer } = conversation()
    const teammates = [...open.values()].flatMap((one) => wantedBy(one) ?? [])
    const { toolCallId, toolName } = call
    const why = firstSpawnText(teammates)
    return {
      question: {
        call: { toolCallId, toolName, input: { teammates } },
        ...{ action: { kind: 'use', tool: toolName }, why, rules: [] },
      },
      advice: FIRST_SPAWN_ADVICE,
      once(ask) {
        if (asked?.answer === answer) return asked.permission
        const permission = ask().then((given) => {
          isConfirmed ||= given.allowed
          // Not refused, only interrupted: the next call asks again.
          if (!given.allowed && given.isTemporary) asked = undefined
          return given
        })
        asked = { answer, permission }
        return permission
      },
    }
  }
}

/** Undefined for a call that starts no teammate. */
function wantedBy({ toolName, input }: Pick<ToolCallToCheck, 'toolName' | 'input'>): Wanted | undefined {
  if (toolName !== 'Task' && toolName !== 'spawn_teammate') return undefined
  const { name, role, prompt } = fieldsOf(input)
  if (typeof name !== 'string') return undefined
  return { name, ...(typeof role === 'string' && { role }), ...(typeof prompt === 'string' && { prompt }) }
}

/** Some models write an object as text. */
function fieldsOf(input: unknown): Record<string, unknown> {
  try {
    const value: unknown = typeof input === 'string' ? JSON.parse(input) : input
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
