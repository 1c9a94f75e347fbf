import type { MemberKind, MemberStatus } from './members/member.ts'
import type { PlanGate } from './members/plan-gate.ts'
import type { StepStatus } from './phases/phase.ts'
import type { RequestKind } from './request.ts'
import type { TaskStatus } from './task.ts'

/**
 * Why a command was not carried out; nothing was written. A refusal is data: `refusalText` says what was refused, the
 * command line and the prompts each add the next step in their own words.
 */
export type Refusal = {
  readonly [Code in RefusalCode]: {
    readonly code: Code
    readonly details: RefusalDetails[Code]
    /** The refused claim was the first task of this new teammate, which therefore was not spawned. */
    readonly spawn?: { readonly member: string; readonly task: string }
  }
}[RefusalCode]

export type RefusalCode = keyof RefusalDetails

/** What each code says about its case. A code with several cases tells them apart by `problem`. */
export interface RefusalDetails {
  readonly invalid: InvalidInput
  readonly unknown_team: { readonly team?: string }
  readonly team_deleted: { readonly team: string }
  readonly unknown_member: { readonly name: string; readonly members: readonly string[] }
  readonly unknown_task: { readonly task: string }
  readonly unknown_request: { readonly request: string }
  readonly unknown_dependency: { readonly subject: string; readonly dependency: string }
  readonly dependency_cycle: { readonly cycle: readonly string[] }
  readonly has_dependents:
    | Case<'task', { task: string; dependents: readonly string[] }>
    | Case<'last_of_plan', { task: string; plan: string; dependents: readonly string[] }>
  readonly not_allowed: Forbidden
  readonly not_owner: {
    readonly task: string
    readonly owner: string
    readonly by: string
    /** The lead may release the claim of another member. */
    readonly canForce: boolean
  }
  /** The organisation does not let this message travel. */
  readonly not_routed: NotRouted
  readonly wrong_state: WrongState
  readonly not_ready: {
    readonly task: string
    readonly waitsFor: readonly string[]
    readonly waitsForFailed: readonly string[]
  }
  readonly role_mismatch: {
    readonly task: string
    readonly role: string
    readonly member: string
    readonly memberRole: string
  }
  readonly assigned_to_other: { readonly task: string; readonly assignee: string }
  readonly files_overlap: {
    readonly task: string
    readonly path: string
    readonly claimed: { readonly task: string; readonly owner: string; readonly path: string }
  }
  readonly holds_another: { readonly member: string; readonly task: string }
  readonly plan_gate: { readonly gate: PlanGate }
  readonly member_busy:
    | Case<'name_taken', { member: string; kind: MemberKind }>
    | Case<'holds_task', { member: string; task: string }>
    | Case<'active', { member: string; status: MemberStatus }>
  readonly member_stopped:
    | Case<'caller', { member: string; role: string }>
    | Case<'recipient', { member: string; members: readonly string[] }>
  readonly fenced:
    | Case<
        'replaced',
        { member: string; generation: number | undefined; current: { generation: number; status: MemberStatus } }
      >
    | Case<'no_generation', { member: string }>
  /** The caller signs as a member and does not have its token. */
  readonly wrong_token: Case<'missing', { member: string }> | Case<'wrong', { member: string }> | Case<'unknown'>
  readonly stale: { readonly request: string; readonly reason: string }
  readonly served: { readonly member: string; readonly runtime: string }
  readonly supervised: { readonly team: string; readonly runtime: string; readonly isUnknown: boolean }
  readonly other_folder: {
    readonly session: string
    readonly folder: string
    readonly here: string
    readonly isOtherMachine: boolean
  }
  readonly too_large: { readonly text: LimitedText }
  readonly command_id_taken: { readonly id: string; readonly usedFor: string }
}

/** One of several cases of a code. */
type Case<Problem extends string, Facts = unknown> = Readonly<{ problem: Problem } & Facts>

type InvalidInput =
  | Case<'name', { name: string }>
  | Case<'reserved_name', { name: string }>
  | Case<'role', { role: string }>
  | Case<'model', { model: string }>
  | Case<'command_id', { id: string }>
  | Case<'lease'>
  | Case<'deadline'>
  | Case<'failure_reason', { task: string }>
  | Case<'no_tasks'>
  | Case<'plan_task_id', { id: string }>
  | Case<'task_exists', { task: string }>
  | Case<'draft', { subject: string; field: string; issue: string }>
  | Case<'changes', { task: string; field: string; issue: string }>
  | Case<'status', { status: string }>
  | Case<'empty_subject'>
  | Case<'multiline_subject'>
  | Case<'path', { path: string }>
  | Case<'message_type', { type: string }>
  | Case<'control_message', { type: string }>
  | Case<'derived_message', { type: string }>
  | Case<'broadcast_to_all'>
  | Case<'empty_message'>
  | Case<'own_message', { member: string }>
  | Case<'own_request', { member: string }>
  | Case<'shutdown_of_lead'>
  | Case<'request_recipient', { kind: RequestKind; to: string }>
  | Case<'answer', { issue: string }>

type Forbidden =
  | Case<'lead_only', { operation: LeadOperation; by: string }>
  | Case<'lead_only_fields', { fields: readonly string[]; by: string }>
  /** The caller has not said which member it acts as. */
  | Case<'no_member'>
  | Case<'not_member', { by: string }>
  | Case<'foreign_task', { task: string; operation: 'change' | 'delete'; by: string }>
  | Case<'foreign_mail', { member: string; by: string }>
  | Case<'runtime_message', { type: string }>
  | Case<'is_agent', { member: string }>
  | Case<'agent_token', { member: string }>
  | Case<'not_agent', { member: string }>
  | Case<'join_for_other', { member: string; by: string }>
  | Case<'stop_other', { member: string; by: string }>
  | Case<'lead_stays'>
  | Case<'not_supervisor'>
  | Case<'foreign_request', { request: string; from: string; by: string }>
  | Case<'other_recipient', { request: string; to: string; by: string }>
  | Case<'permission_elsewhere', { request: string }>
  | Case<'own_team'>
  | Case<'task_only_role', { role: string }>
  | Case<'role_elsewhere', { role: string; department: string; roles: readonly string[] }>
  | Case<'role_not_due', { role: string; step: number }>

type NotRouted =
  | Case<'unknown_role', { by: string; role: string; roles: readonly string[] }>
  /** `sends`: what the role may send, each with its recipients. */
  | Case<'type', { type: string; by: string; role: string; sends: readonly string[] }>
  | Case<
      'recipient',
      {
        type: string
        by: string
        role: string
        to: string
        toRole: string | null
        isOtherDepartment: boolean
        /** Roles that may get it, and the members that have them now. */
        roles: readonly string[]
        allowed: readonly string[]
      }
    >
  | Case<'content', { type: string; issues: readonly string[]; fields: readonly string[] }>
  | Case<'derived', { type: string }>

/** What only the lead and the user may do. */
export type LeadOperation =
  | 'create_team'
  | 'delete_team'
  | 'supervise'
  | 'spawn'
  | 'issue_token'
  | 'repair_transcript'
  | 'request_shutdown'
  | 'reopen'
  | 'assign'
  | 'change_dependencies'
  | 'force_release'
  | 'load_plan'
  | 'change_step'
  | 'record_handoff'

type WrongState =
  | Case<'claimed', { task: string; owner: string }>
  | Case<'not_claimed', { task: string; by: string }>
  | Case<'not_pending', { task: string; status: TaskStatus; operation: 'claim' | 'assign' | 'change_dependencies' }>
  | Case<'not_in_progress', { task: string; status: TaskStatus; lastAttempt?: { owner: string; end: string } }>
  | Case<'in_progress', { task: string; owner: string; operation: 'reopen' | 'delete' }>
  | Case<'plan_changed', { plan: string }>
  | Case<'step', { step: number; wanted: StepStatus; current: StepStatus | null }>
  | Case<'handoff', { kind: string; subject: string; wanted: string; current: string | null }>
  | Case<'member_stopping', { member: string }>
  | Case<'request_open', { request: string }>
  | Case<'request_answered', { request: string; state: string }>
  | Case<'plans_rejected', { count: number }>
  | Case<'member_keeps_failing', { member: string }>
  | Case<'breaker_open'>
  | Case<'team_taken', { team: string }>
  | Case<'journal_missing', { team: string; session: string }>

export type LimitedText =
  | 'subject'
  | 'description'
  | 'reason'
  | 'message'
  | 'prompt'
  | 'request'
  | 'feedback'
  | 'command'

export function refuse<Code extends RefusalCode>(code: Code, details: RefusalDetails[Code]): Refusal {
  return { code, details } as Refusal
}

export function isRefusal(value: object): value is Refusal {
  return 'code' in value && 'details' in value
}
