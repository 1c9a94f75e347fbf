import type { Circumstances, Command, Decision } from '../command.ts'
import type { Message } from '../message.ts'
import { refuse } from '../refusal.ts'
import { isLead, leadOnly } from '../rights.ts'
import { memberNamed, type TeamState } from '../state.ts'
import { type HandOffDraft, type StepStatus, stepKey } from './phase.ts'

/** What may follow on each status; null is a step that nothing was done about. A completed or skipped step needs `force`. */
const NEXT: { readonly [Status in StepStatus | 'none']: readonly StepStatus[] } = {
  none: ['started', 'skipped'],
  started: ['completed', 'failed', 'skipped'],
  failed: ['started', 'skipped'],
  completed: [],
  skipped: [],
}

/**
 * The same step cannot end twice: after a crash the repeated command finds it ended. So what is mailed with its end is
 * mailed once.
 */
export function decideStep(
  state: TeamState,
  { change, force: isForced = false, escalation }: Extract<Command, { type: 'step.change' }>,
  about: Circumstances,
): Decision {
  if (!isLead(about.by.name)) return leadOnly('change_step', about.by)
  const { step, status } = change
  const now = state.steps.get(stepKey(change))?.status
  if (now === status) return { events: [], note: `Step ${step} is already ${status}.` }
  const isAllowed = NEXT[now ?? 'none'].includes(status) || (isForced && status === 'started')
  if (!isAllowed) return refuse('wrong_state', { problem: 'step', step, wanted: status, current: now ?? null })
  const changed = { type: 'step.changed', ...change } as const
  const recipient = escalation && memberNamed(state, escalation.to)
  if (!recipient || recipient.status === 'stopped') return { events: [changed] }
  const message: Message = {
    ...{ id: `${about.id}.escalation`, type: 'escalation' as const, from: 'lead', to: recipient.name },
    ...{ content: escalation.content, timestamp: about.now },
  }
  return { events: [changed, { type: 'message.sent', message }] }
}

export function decideHandOff(state: TeamState, { after, ...handOff }: HandOffDraft, about: Circumstances): Decision {
  // The escalation of a member to a level outside of its team is recorded too; who may send it is checked before.
  if (!isLead(about.by.name) && handOff.kind !== 'escalation') return leadOnly('record_handoff', about.by)
  for (const subject of handOff.subjects) {
    const current = handOffStatus(state, handOff, subject)
    if (after.includes(current)) continue
    const { kind, status: wanted } = handOff
    return refuse('wrong_state', { problem: 'handoff', kind, subject, wanted, current })
  }
  return { events: [{ type: 'handoff.recorded', ...handOff }] }
}

/** The status that the last hand-off of this kind gave to a subject; null where there was none. */
export function handOffStatus(
  state: TeamState,
  { folder, kind }: Pick<HandOffDraft, 'folder' | 'kind'>,
  subject: string,
): string | null {
  let status: string | null = null
  for (const other of state.handOffs.values())
    if (other.folder === folder && other.kind === kind && other.subjects.includes(subject)) status = other.status
  return status
}
