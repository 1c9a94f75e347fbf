import { planGateText } from '../../prompts/refusals.ts'
import type { Refusal } from '../../team/refusal.ts'
import { type RefusalHints, refusalTextWith } from '../../team/refusal-text.ts'

/** A refusal as an outside agent reads it: what was refused, and which tool of this server to use now. */
export function refusalForCaller(refusal: Refusal): string {
  return refusal.code === 'plan_gate' ? planGateText(refusal.details.gate) : refusalTextWith(HINTS, refusal)
}

const ASK_LEAD = 'Ask the lead: message_send to lead.'
const SEE_TASKS = 'See: task_list'
const RENEW = 'The user issues a new one with: deskmates team join NAME --renew-token'

const HINTS: RefusalHints = {
  invalid: {
    failure_reason: ({ task }) => `Use task_fail with id ${task} and a reason.`,
    broadcast_to_all: 'Use message_broadcast.',
    control_message: 'Answer a request with request_answer.',
  },
  unknown_task: SEE_TASKS,
  unknown_request: 'See: requests',
  unknown_dependency: SEE_TASKS,
  not_allowed: {
    no_member: 'Call join with a name and a role first.',
    lead_only: ASK_LEAD,
    lead_only_fields: ASK_LEAD,
    foreign_task: ASK_LEAD,
  },
  not_owner: ASK_LEAD,
  wrong_state: {
    not_claimed: ({ task }) => `Claim it first: task_claim with id ${task}.`,
    in_progress: ASK_LEAD,
  },
  holds_another: ({ task }) => `Complete, fail or release task ${task} first.`,
  not_ready: 'wait_for_news returns when a task is ready.',
  member_stopped: { caller: 'The user lets it join again with: deskmates team join NAME --role ROLE' },
  wrong_token: { missing: RENEW, wrong: RENEW, unknown: RENEW },
  member_busy: { name_taken: 'Choose another name, or let the user start this server with --as and that name.' },
}
