import type { AssistantBlock } from '../session/wire/envelope.ts'
import { type AgentActivity, type Entry, MAX_ENTRIES, MAX_ENTRY_CHARS, type ToolEntry } from './view.ts'

/** Input of the model: a prompt, mail, notices. */
export function putInput(agent: AgentActivity, text: string, typed: string | null | undefined, at: number): void {
  put(agent, { kind: 'input', at, text: cut(text), typed: typeof typed === 'string' ? cut(typed) : typed })
}

/** A file that came with the prompt before it. */
export function putAttachment(agent: AgentActivity, file: string, text: string, at: number): void {
  put(agent, { kind: 'attachment', at, file: cut(file), text: cut(text) })
}

export function putNote(agent: AgentActivity, text: string, at: number): void {
  put(agent, { kind: 'note', at, text: cut(text) })
}

/** Adds to the answer that streams, or begins one. */
export function streamText(agent: AgentActivity, kind: 'text' | 'thinking', text: string, at: number): void {
  const last = agent.conversation.at(-1)
  if (last?.kind === kind && last.isStreaming) {
    if (last.text.length < MAX_ENTRY_CHARS) last.text += text
    return
  }
  put(agent, { kind, at, text: cut(text), isStreaming: true })
}

/** The whole answer takes the place of what streamed of it. */
export function showWhole(agent: AgentActivity, blocks: readonly AssistantBlock[], at: number): void {
  removeStreaming(agent.conversation)
  for (const block of blocks) {
    if (block.type === 'text') put(agent, { kind: 'text', at, text: cut(block.text), isStreaming: false })
    else if (block.type === 'thinking')
      put(agent, { kind: 'thinking', at, text: cut(block.thinking), isStreaming: false })
    else putCall(agent, block, 'called', at)
  }
}

export function putCall(
  agent: AgentActivity,
  { id, name, input }: { readonly id: string; readonly name: string; readonly input: unknown },
  state: 'called' | 'running',
  at: number,
): void {
  const known = callNamed(agent, id)
  if (known) {
    if (known.state === 'called') known.state = state
    return
  }
  put(agent, { kind: 'tool', at, id, name, input, state, progress: '', result: '', endedAt: undefined })
}

export function showProgress(agent: AgentActivity, id: string, text: string): void {
  const call = callNamed(agent, id)
  if (call && call.endedAt === undefined) call.progress = cut(text)
}

export function endCall(agent: AgentActivity, id: string, result: string, isError: boolean, at: number): void {
  const call = callNamed(agent, id)
  if (!call) return
  call.state = isError ? 'failed' : 'done'
  call.result = cut(result)
  call.endedAt = at
}

function removeStreaming(conversation: Entry[]): void {
  for (let i = conversation.length - 1; i >= 0; i--) {
    const entry = conversation[i]!
    if (entry.kind === 'input') return
    if ((entry.kind === 'text' || entry.kind === 'thinking') && entry.isStreaming) conversation.splice(i, 1)
  }
}

/** The newest first: calls end soon after they begin. */
function callNamed({ conversation }: AgentActivity, id: string): ToolEntry | undefined {
  return conversation.findLast((entry): entry is ToolEntry => entry.kind === 'tool' && entry.id === id)
}

function put({ conversation }: AgentActivity, entry: Entry): void {
  conversation.push(entry)
  if (conversation.length > MAX_ENTRIES * 1.1) conversation.splice(0, conversation.length - MAX_ENTRIES)
}

function cut(text: string): string {
  return text.length > MAX_ENTRY_CHARS ? `${text.slice(0, MAX_ENTRY_CHARS)}…` : text
}
