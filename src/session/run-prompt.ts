import type { Stop } from '../agent/agent-event.ts'
import type { SessionEvent } from '../agent/session-event.ts'
import { roster } from '../team/state.ts'
import type { Session } from './session.ts'

/**
 * Runs one prompt (`/compact` summarises instead) and hands over each event in order. When `onEvent` throws, for
 * example because its reader is gone, the run is ended before the error is passed on. `typed`: what a person typed of it.
 */
export async function runPrompt(
  session: Session,
  { prompt, typed }: { readonly prompt: string | undefined; readonly typed?: string | undefined },
  signal: AbortSignal,
  onEvent: (event: SessionEvent) => Promise<void>,
): Promise<Stop> {
  const [isCompact, focus] = /^\s*\/compact(?:\s+(.*\S))?\s*$/s.exec(prompt ?? '') ?? []
  const run = isCompact === undefined ? session.run(prompt, signal, typed) : session.compact(focus, signal)
  try {
    let step = await run.next()
    for (; !step.done; step = await run.next()) await onEvent(step.value)
    return step.value
  } finally {
    await run.return(undefined as never)
  }
}

/** Whether the session holds nothing but its first prompt: no board, no teammates, no mail from elsewhere. */
export function isUntouched({ team: { state } }: Session): boolean {
  const mail = [...state.mailboxes.values()].flatMap((mailbox) => [...mailbox.values()])
  const isOwn = mail.every(({ message, external }) => !external && message.from === 'user') && mail.length <= 1
  return state.tasks.size === 0 && roster(state).length <= 1 && isOwn && state.leads.get().length === 0
}
