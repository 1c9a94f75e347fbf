import type { PlanGate } from '../team/members/plan-gate.ts'
import type { Refusal } from '../team/refusal.ts'
import { type RefusalHints, refusalTextWith } from '../team/refusal-text.ts'
import { isLead } from '../team/rights.ts'

/** A refusal as a model reads it: what was refused, and which tool to use now. */
export function refusalForModel(refusal: Refusal): string {
  return refusal.code === 'plan_gate' ? planGateText(refusal.details.gate) : refusalTextWith(HINTS, refusal)
}

/** What a teammate reads that still wants to change something. */
export const AGREED_TO_STOP = 'Not done: you agreed to stop, so you start nothing new. End your turn.'

/** What a teammate reads whose plan is not approved yet. */
export function planGateText(gate: PlanGate): string {
  return `Blocked: plan status is ${gate}. ${PLAN_GATE[gate]}`.trimEnd()
}

const PLAN_GATE: { readonly [Gate in PlanGate]: string } = {
  required: 'Submit a plan first, as a message of type plan_approval_request. Until it is approved you may only read.',
  pending: 'Your plan waits for an answer. You are told when it comes; end your turn.',
  rejected: 'Your plan was rejected. Submit another one, as a message of type plan_approval_request.',
  approved: '',
  not_required: '',
}

const ASK_LEAD = 'Ask the lead.'
const SUBAGENT = 'Start a subagent instead: Task without a name'
const SEE_TASKS = 'See: TaskList'

const HINTS: RefusalHints = {
  invalid: {
    model: 'Name provider/model, or leave model out.',
    failure_reason: ({ task }) => `Use TaskUpdate with taskId ${task}, status failed and a reason.`,
    control_message: 'Answer a request with its request_id.',
    shutdown_of_lead: 'To end the team use TeamDelete.',
  },
  unknown_team: 'Create it with TeamCreate.',
  team_deleted: 'Finish that with TeamDelete.',
  unknown_task: SEE_TASKS,
  unknown_request: 'Answer a request with its request_id.',
  unknown_dependency: SEE_TASKS,
  has_dependents: { task: 'Delete it with detach: true to let them continue without it.' },
  not_allowed: {
    lead_only: ASK_LEAD,
    lead_only_fields: ASK_LEAD,
    foreign_task: ASK_LEAD,
    lead_stays: 'To end the team use TeamDelete.',
    task_only_role: ({ role }) => `${SUBAGENT}, with agent_type ${role}.`,
  },
  wrong_token: {
    missing: 'Tell the user: a new token can be issued.',
    wrong: 'Tell the user: a new token can be issued.',
  },
  not_owner: ({ by, canForce }) => (canForce && !isLead(by) ? ASK_LEAD : undefined),
  wrong_state: {
    not_claimed: ({ task }) => `Claim it first: TaskUpdate with taskId ${task} and status in_progress.`,
    in_progress: ({ task }) => `Release it with TaskUpdate, taskId ${task} and status pending.`,
    member_keeps_failing: `${SUBAGENT}; or spawn another teammate.`,
    breaker_open: `${SUBAGENT}.`,
    handoff:
      'Its statuses follow one another. If departments disagree about it, send an escalation: the owner decides.',
    journal_missing: 'Choose another name, and tell the user that the team needs repair.',
  },
}
