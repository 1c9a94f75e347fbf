import type { Action } from './rules/action.ts'

/**
 * `isTemporary`: something else has to happen first, so the denial is not reported. `byHook`: a hook of the user refused
 * it, and may let it pass later.
 */
export type Permission =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly why: string; readonly isTemporary?: boolean; readonly byHook?: boolean }

/** A tool call as the model wrote it. */
export interface CheckedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** May an agent do this? Asks a person where one can be asked; else it is denied. No action: it needs no permission. */
export type Check = (action: Action | undefined, call: CheckedCall, signal: AbortSignal) => Promise<Permission>

/** What a person is asked to allow. */
export interface PermissionQuestion {
  readonly call: CheckedCall
  readonly action: Action
  /** Why it is asked. */
  readonly why: string
  /** Rules that would have allowed it, as the settings write them. */
  readonly rules: readonly string[]
}
