import type { PermissionOption, RequestPermissionOutcome } from '@agentclientprotocol/sdk'
import type { Agent } from '../../agent/agent.ts'
import type { Action, Permission } from '../../permissions/permission.ts'
import { type FileAccess, refuseReading, refuseWriting, resolvedPlace } from '../../tools/paths/file-access.ts'
import { commandOf, inputOf, pathsOf, teamToolOf, toolNameOf, type VendorCall } from './vendor-call.ts'

/** What a call that the vendor's program asks about is about to do, as our rules judge it, or why it is refused at once. */
type Judged = { readonly actions: readonly Action[] } | { readonly refusal: string }

export interface PermissionContext {
  readonly agent: Pick<Agent, 'permissions'>
  readonly access: FileAccess
  /** Names of the tools that our MCP server offers to the program. */
  readonly teamTools: readonly string[]
  readonly signal: AbortSignal
}

/** Lets a call of a vendor's program pass the same chain as a call of our own agents. */
export async function checkVendorCall(
  id: string,
  call: VendorCall,
  { agent, access, teamTools, signal }: PermissionContext,
): Promise<Permission> {
  const own = teamToolOf(call, teamTools)
  const { permissions } = agent
  // What it does is judged when it arrives at our server.
  if (own !== undefined) return permissions.check(undefined, { toolCallId: id, toolName: own, input: {} }, signal)
  const judged = judge(call, access)
  if ('refusal' in judged) return { allowed: false, why: judged.refusal }
  for (const action of judged.actions) {
    const permission = await permissions.check(action, callOf(id, action, call), signal)
    if (!permission.allowed) return permission
  }
  return { allowed: true }
}

function callOf(id: string, action: Action, call: VendorCall) {
  const about = action.kind === 'run' ? { command: action.command } : 'path' in action ? { path: action.path } : {}
  return { toolCallId: id, toolName: action.tool, input: { ...inputOf(call), ...about } }
}

/** A kind of call that is not known, or a call that does not say what it touches, is a use that a person has to allow. */
function judge(call: VendorCall, access: FileAccess): Judged {
  const unknown: Judged = { actions: [{ kind: 'use', tool: toolNameOf(call) }] }
  const paths = pathsOf(call, access.root)
  if (paths === undefined) return { refusal: 'it names more files than can be judged. Change fewer at a time.' }
  switch (call.kind) {
    case 'execute': {
      const command = commandOf(call)
      return command === undefined ? unknown : { actions: [{ kind: 'run', tool: 'bash', command }] }
    }
    case 'read':
    case 'search':
      return onPaths(paths, unknown, (path) => refuseReading(path, access), {
        kind: 'read',
        tool: call.kind === 'read' ? 'read_file' : 'grep',
      })
    case 'edit':
    case 'delete':
    case 'move':
      return onPaths(paths, unknown, (path) => refuseWriting(path, access), {
        kind: 'write',
        tool: call.kind === 'edit' ? 'edit_file' : 'write_file',
      })
    default:
      return unknown
  }
}

function onPaths(
  paths: readonly string[],
  unknown: Judged,
  refuse: (real: string) => string | undefined,
  action: { readonly kind: 'read' | 'write'; readonly tool: string },
): Judged {
  if (paths.length === 0) return unknown
  // Where links lead is what counts.
  const places = paths.map(resolvedPlace)
  const refusal = places.map(refuse).find((why) => why !== undefined)
  return refusal === undefined ? { actions: places.map((path) => ({ ...action, path })) } : { refusal }
}

/** The answer to the program. Only for this one call: what it would remember would not be asked again. */
export function outcomeOf(allowed: boolean, options: readonly PermissionOption[]): RequestPermissionOutcome {
  const kinds = allowed ? ['allow_once'] : ['reject_once', 'reject_always']
  const option = kinds.flatMap((kind) => options.find((one) => one.kind === kind) ?? [])[0]
  return option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' }
}
