import { isAbsolute, resolve } from 'node:path'
import type { ToolCall, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk'
import { actionText } from '../../view/apply-line.ts'

/** A call of an agent of the session, as the lines describe it. */
export interface AgentCall {
  readonly agent: string
  readonly id: string
  readonly name: string
  readonly input: unknown
}

type ShownCall = Pick<
  ToolCall,
  'toolCallId' | 'title' | 'name' | 'kind' | 'content' | 'locations' | 'rawInput' | '_meta'
>

/** What an editor shows of a call before it has a result. Paths are absolute, as the protocol demands. */
export function shownCall(call: AgentCall, cwd: string): ShownCall {
  const { agent, name, input } = call
  const path = pathIn(input, cwd)
  return {
    toolCallId: callId(agent, call.id),
    title: tagged(agent, actionText(name, input)),
    name,
    kind: KINDS[name] ?? 'other',
    content: changeIn(name, input, path),
    locations: path === undefined ? [] : [{ path }],
    rawInput: input,
    _meta: metaOf(agent),
  }
}

/** Calls of different agents may have the same id. */
export function callId(agent: string, id: string): string {
  return agent === 'lead' ? id : `${agent}:${id}`
}

/** Names the agent, unless it is the lead, with which the user talks. */
export function tagged(agent: string, text: string): string {
  return agent === 'lead' ? text : `${agent}: ${text}`
}

/** For editors that show agents apart from each other. */
export function metaOf(agent: string): { deskmates: { agent: string } } {
  return { deskmates: { agent } }
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  bash: 'execute',
  read_file: 'read',
  write_file: 'edit',
  edit_file: 'edit',
  glob: 'search',
  grep: 'search',
}

function pathIn(input: unknown, cwd: string): string | undefined {
  const { path } = (input ?? {}) as Record<string, unknown>
  if (typeof path !== 'string' || path === '') return undefined
  return isAbsolute(path) ? path : resolve(cwd, path)
}

/** The change as a diff, the command as text. */
function changeIn(name: string, input: unknown, path: string | undefined): ToolCallContent[] {
  const { old_text, new_text, content, command } = (input ?? {}) as Record<string, unknown>
  if (path !== undefined && name === 'edit_file' && typeof old_text === 'string' && typeof new_text === 'string')
    return [{ type: 'diff', path, oldText: old_text, newText: new_text }]
  if (path !== undefined && name === 'write_file' && typeof content === 'string')
    return [{ type: 'diff', path, oldText: null, newText: content }]
  return name === 'bash' && typeof command === 'string' ? [textContent(command)] : []
}
