import type { Check, Permission, PermissionQuestion } from './permission.ts'
import type { Action } from './rules/action.ts'
import { hintFor } from './rules/hints.ts'
import { deniesNetwork, forbids, isOffered, judge, type Mode, narrow, type Policy } from './rules/policy.ts'
import { parseRule } from './rules/rule.ts'

/** What agents may do: the mode speaks where no rule does, and what is denied is denied whatever allows it. */
export interface Permissions {
  readonly mode?: Mode
  /** Rules such as `bash(git *)`, `edit_file(src/**)`, `network(npm install *)` or the name of a tool. */
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
}

export interface AgentPermissions {
  readonly check: Check
  /** Whether a deny rule covers this file, by its real path. */
  forbids(kind: 'read' | 'write', path: string): boolean
  /** Is the agent to know of this tool at all? */
  isOffered(tool: string): boolean
}

export interface PermissionsOptions {
  readonly policy: Policy
  /** What keeps commands in, and whether they may run without. */
  readonly sandbox: SandboxState
}

/** Whether a sandbox is on, and if not, why and what would help. */
export interface SandboxState {
  readonly state: string
  readonly mode: string
  readonly why?: { readonly cause: string; readonly remedy: string } | undefined
}

export function policyOf(permissions: Permissions, root: string): Policy {
  const { mode = 'default', allow = [], ask = [], deny = [] } = permissions
  return { mode, root, allow: allow.map(parseRule), ask: ask.map(parseRule), deny: deny.map(parseRule) }
}

/** The policy of an agent that was sent out: never more than that of the agent that starts it. */
export function narrowForSubagent(policy: Policy, isReadOnly: boolean): Policy {
  return narrow(policy, isReadOnly ? { ...policy, isReadOnly } : policy)
}

/** What becomes of a wish that a person would have to allow. */
export interface ActionRequests {
  /** A person can be asked. */
  ask?(wanted: PermissionQuestion, signal: AbortSignal): Promise<Permission>
  /** No person can be asked: the lead and the user are told. */
  onDenied?(wanted: PermissionQuestion): Promise<void>
}

/**
 * What would be asked is asked of a person if there is one, and denied otherwise. An agent that was sent out is told to
 * say so in its report.
 */
export function createPermissions(
  plan: PermissionsOptions,
  isSentOut = false,
  asker: ActionRequests = {},
): AgentPermissions {
  const { policy } = plan
  return {
    async check(wish, call, signal) {
      const { verdict, why } = judge(call.toolName, wish, policy)
      if (verdict === 'deny') return { allowed: false, why: `${why}.` }
      if (verdict === 'allow') return unkept(wish, plan) ?? { allowed: true }
      const whom = isSentOut ? 'Permission required: say so in your report, so that your lead can ask. ' : ''
      const denied = `${whom}${why}, and no person can be asked here.`
      if (!wish) return { allowed: false, why: denied }
      const { rules, advice } = hintFor(wish, policy)
      const wanted = { call, action: wish, why, rules }
      if (asker.ask) {
        // No person is asked for what could not be done anyway.
        const kept = unkept(wish, plan)
        return kept ?? asker.ask(wanted, signal)
      }
      await asker.onDenied?.(wanted)
      const what = rules.length > 0 ? `The user can allow it: ${howTo(rules)}` : advice
      return { allowed: false, why: `${denied} ${what}` }
    },
    forbids: (kind, path) => forbids(policy, kind, path),
    isOffered: (tool) => isOffered(tool, policy),
  }
}

/** What a command may not do because nothing keeps it in; undefined if it may. */
function unkept(wish: Action | undefined, { policy, sandbox }: PermissionsOptions): Permission | undefined {
  if (wish?.kind !== 'run' || sandbox.state === 'on') return undefined
  if (sandbox.mode === 'require')
    return {
      allowed: false,
      why: `commands must run in a sandbox, and there is none here: ${sandbox.why?.cause}. ${sandbox.why?.remedy}.`,
    }
  if (deniesNetwork(policy))
    return {
      allowed: false,
      why: 'the rule network denies commands the network, and without a sandbox nothing can keep them from it.',
    }
  return undefined
}

/** The option by which the user allows these. */
export function howTo(rules: readonly string[]): string {
  return `--allowedTools '${rules.join(',').replaceAll("'", "'\\''")}'`
}
