/** What one agent may do. */
export interface Permissions {
  /** Asks a person where one can be asked; else it is denied. No action: the call needs no permission by itself. */
  check(action: Action | undefined, call: ToolCallToCheck, signal: AbortSignal): Promise<Permission>
  /** Whether a deny rule covers this file, or it is private to the user; by its real path. */
  forbids(kind: 'read' | 'write', path: string): boolean
  /** Whether the model learns of this tool at all. */
  isOffered(tool: string): boolean
}

/**
 * Allowed, or why not and what to do. `isTemporary`: something else has to happen first, so the denial is not reported.
 * `byHook`: a hook of the user refused it, and may let it pass later.
 */
export type Permission =
  | { readonly allowed: true }
  | {
      readonly allowed: false
      /** For the agent. */
      readonly why: string
      /** The same for the user, where advice for the agent would be out of place. */
      readonly forUser?: string
      readonly isTemporary?: boolean
      readonly byHook?: boolean
    }

/** A tool call as the model wrote it. */
export interface ToolCallToCheck {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** What a person is asked to allow. */
export interface PermissionQuestion {
  readonly call: ToolCallToCheck
  readonly action: Action
  /** Why a person is asked. */
  readonly why: string
  /** Rules that would have allowed it, as the settings write them. */
  readonly rules: readonly string[]
}

/** What a tool call is about to do, as rules and people judge it. */
export type Action =
  | { readonly kind: 'run'; readonly tool: string; readonly command: string }
  | { readonly kind: 'read'; readonly tool: string; readonly path: string }
  | { readonly kind: 'write'; readonly tool: string; readonly path: string }
  | { readonly kind: 'use'; readonly tool: string }
