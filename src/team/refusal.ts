/**
 * Why a command was not carried out. `code` is for programs, `message` says what was refused, on what, and what to do
 * now. A refusal is an answer, not an error: nothing was written.
 */
export interface Refusal {
  readonly refused: RefusalCode
  readonly message: string
}

export type RefusalCode =
  | 'invalid'
  | 'unknown_team'
  | 'team_deleted'
  | 'unknown_member'
  | 'unknown_task'
  | 'unknown_request'
  | 'unknown_dependency'
  | 'dependency_cycle'
  | 'has_dependents'
  | 'not_allowed'
  | 'not_owner'
  | 'wrong_state'
  | 'not_ready'
  | 'role_mismatch'
  | 'assigned_to_other'
  | 'files_overlap'
  | 'holds_another'
  | 'plan_gate'
  | 'member_busy'
  | 'member_stopped'
  | 'fenced'
  | 'stale'
  | 'served'
  | 'supervised'
  | 'other_folder'
  | 'too_large'
  | 'command_id_taken'

export function refuse(refused: RefusalCode, message: string): Refusal {
  return { refused, message }
}

export function isRefusal(value: object): value is Refusal {
  return 'refused' in value
}
