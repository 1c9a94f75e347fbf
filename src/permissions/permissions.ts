import type { TeamHandle } from '../journal/team-handle.ts'
import { hookRefusedCallText } from '../prompts/notices.ts'
import { AGREED_TO_STOP, planGateText } from '../prompts/refusals.ts'
import { isOpen, planGate } from '../team/members/plan-gate.ts'
import { memberNamed } from '../team/state.ts'
import { isInsideAny } from './paths/places.ts'
import type { Action, Permission, PermissionQuestion, Permissions, ToolCallToCheck } from './permission.ts'
import { hintFor } from './rules/hints.ts'
import { decideByRules, deniesNetwork, forbids, isOffered, narrow, type Policy } from './rules/policy.ts'
import type { SessionPolicy } from './rules/session-policy.ts'

/** What makes the permissions of one agent. Lead, teammate and subagent differ by these options only. */
export interface PermissionsOptions extends AgentPermissionsOptions {
  /** Rules and mode of the session, read at each check. */
  readonly policy: Pick<SessionPolicy, 'current'>
  readonly sandbox: SandboxState
  /** Settings, keys and trust of the user, as real paths in lower case: file tools neither read nor write there. */
  readonly privateFolders?: readonly string[]
}

/** The options that differ between the agents of one session. */
export interface AgentPermissionsOptions {
  /** It only reads: it writes nothing, and what it runs needs a rule or an answer in every mode. */
  readonly isReadOnly?: boolean
  /** It works for a lead, so a refusal tells it to report what it needs. */
  readonly hasLead?: boolean
  /** Why the agent may not change anything yet, or any more; undefined when it may. */
  changeGate?(): string | undefined
  /** Runs the PreToolUse hooks of the user. They can refuse a call or have a person asked, and never allow one. */
  hooks?(call: ToolCallToCheck, signal: AbortSignal): Promise<HookObjection>
  /** Says which calls a person confirms although rules allow them; undefined for all others. */
  confirm?(call: ToolCallToCheck): Confirmation | undefined
  readonly person?: Person | undefined
}

/** What a person confirms before a call. */
export interface Confirmation {
  readonly question: PermissionQuestion
  /** What the user can do where no person can be asked. */
  readonly advice: string
  /** Calls that are confirmed together share one question. */
  once(ask: () => Promise<Permission>): Promise<Permission>
}

export interface HookObjection {
  /** Why the call must not run. */
  readonly refusal?: string | undefined
  /** Why a person has to be asked before it runs. */
  readonly ask?: string | undefined
}

/** What happens to an action that a person has to allow. */
export interface Person {
  /** Missing: no person can be asked. */
  ask?(question: PermissionQuestion, signal: AbortSignal): Promise<Permission>
  /** Called when an action is denied because no person can be asked. */
  onDenied?(question: PermissionQuestion): Promise<void>
}

/** Whether a sandbox is on, and if not, why and what would help. */
export interface SandboxState {
  readonly state: string
  readonly mode: string
  readonly why?: { readonly cause: string; readonly remedy: string } | undefined
}

/**
 * The one chain that every tool call passes, in this order:
 *
 * deny rules    and what the mode or a read-only agent never does: denied, whatever allows it
 * change gate   an agent whose plan is not approved yet, or that agreed to stop, changes nothing
 * sandbox       a command that has to run in a sandbox does not run without one
 * allow rules   and the mode: allowed, or a person has to be asked
 * hooks         of the user: may refuse what rules allow, and never allow what they do not
 * person        asked last, and only about what can still happen; some calls are confirmed although rules allow them
 */
export function createPermissions(options: PermissionsOptions): Permissions {
  const { changeGate, hooks, confirm, person = {}, hasLead = false, isReadOnly = false, privateFolders = [] } = options
  const policyNow = () => {
    const { current } = options.policy
    return isReadOnly ? narrow(current, { ...current, isReadOnly }) : current
  }

  async function check(action: Action | undefined, call: ToolCallToCheck, signal: AbortSignal): Promise<Permission> {
    const policy = policyNow()
    const ruled = decideByRules(call.toolName, action, policy)
    const needsPerson = ruled.needsPerson ?? false
    if (ruled.decision === 'deny' && !needsPerson)
      return ruled.rule ? denied(`${ruled.why}.${ONLY_USER}`, `${ruled.why}.${REMOVE_RULE}`) : denied(`${ruled.why}.`)

    const closed = action === undefined || action.kind === 'read' ? undefined : changeGate?.()
    if (closed !== undefined) return { allowed: false, why: closed, isTemporary: true }

    const unsafe = whyUnsafe(action, options.sandbox, policy)
    if (unsafe !== undefined) return denied(unsafe)

    const asked = action ?? { kind: 'use', tool: call.toolName }
    const canAsk = person.ask !== undefined && policy.mode !== 'dontAsk'
    if (needsPerson && !canAsk) return denyUnasked(asked, call, ruled.why, policy)
    const confirmation = needsPerson ? undefined : confirm?.(call)
    if (confirmation && !canAsk) return denied(`${confirmation.question.why}, and ${NO_PERSON} ${confirmation.advice}`)

    const objection = (await hooks?.(call, signal)) ?? {}
    signal.throwIfAborted()
    if (objection.refusal !== undefined)
      return {
        ...denied(hookRefusedCallText(objection.refusal), `a hook refused it: ${objection.refusal}`),
        byHook: true,
      }
    if (objection.ask !== undefined && !canAsk)
      return { ...denied(`a hook wants a person to be asked (${objection.ask}), and ${NO_PERSON}`), byHook: true }

    if (needsPerson) {
      const { rules } = hintFor(asked, policy)
      return person.ask!({ call, action: asked, why: ruled.why, rules }, signal)
    }
    if (objection.ask !== undefined) {
      const why = `a hook wants a person to be asked: ${objection.ask}`
      return person.ask!({ call, action: asked, why, rules: [] }, signal)
    }
    return confirmation?.once(() => person.ask!(confirmation.question, signal)) ?? { allowed: true }
  }

  async function denyUnasked(action: Action, call: ToolCallToCheck, why: string, policy: Policy): Promise<Permission> {
    const { rules, advice } = hintFor(action, policy)
    if (policy.mode !== 'dontAsk') await person.onDenied?.({ call, action, why, rules })
    const report = hasLead ? 'Permission required: say so in your report, so that your lead can ask. ' : ''
    const option = rules.length > 0 ? allowOption(rules) : undefined
    return denied(
      `${report}${why}, and ${NO_PERSON} ${option === undefined ? advice : `The user can allow it: ${option}`}`,
      `${why}, and no person could be asked in this run. ${option === undefined ? advice : `To allow it: ${option}`}`,
    )
  }

  return {
    check,
    forbids: (kind, path) => isInsideAny(privateFolders, path.toLowerCase()) || forbids(policyNow(), kind, path),
    isOffered: (tool) => isOffered(tool, policyNow()),
  }
}

const ONLY_USER = ' Only the user can remove that rule: do without it, or report what you need.'
const REMOVE_RULE = ' Remove that rule to allow it.'
const NO_PERSON = 'no person can be asked here.'

function denied(why: string, forUser?: string): Extract<Permission, { allowed: false }> {
  return { allowed: false, why, ...(forUser !== undefined && { forUser }) }
}

/** Why a command may not run without a sandbox, and what helps; undefined if it may run. */
function whyUnsafe(action: Action | undefined, sandbox: SandboxState, policy: Policy): string | undefined {
  if (action?.kind !== 'run' || sandbox.state === 'on') return undefined
  if (sandbox.mode === 'require')
    return `commands must run in a sandbox, and there is none here: ${sandbox.why?.cause}. ${sandbox.why?.remedy}.`
  if (deniesNetwork(policy))
    return 'the rule network denies commands the network, and only a sandbox can enforce that. Install a sandbox (deskmates doctor says how), or remove the rule.'
  return undefined
}

/** The option by which the user allows these rules. */
export function allowOption(rules: readonly string[]): string {
  return `--allowedTools '${rules.join(',').replaceAll("'", "'\\''")}'`
}

/** Why a member may only read, because it agreed to stop or its plan is not approved; undefined when it may change things. */
export function closedChangeGate({ state }: Pick<TeamHandle, 'state'>, name: string): string | undefined {
  const member = memberNamed(state, name)
  if (member?.status === 'stopping') return AGREED_TO_STOP
  const gate = member ? planGate(state, member) : 'not_required'
  return isOpen(gate) ? undefined : planGateText(gate)
}
