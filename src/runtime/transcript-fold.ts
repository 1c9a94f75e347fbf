import type { AssistantTurn, ToolCall, ToolTurn, Turn, UserTurn } from '../ports/model.ts'
import type { LogRecord } from '../ports/store.ts'
import type { ProcessGroup } from '../ports/tool.ts'

export type CallResult = Extract<ToolTurn['content'][number], { type: 'tool-result' }>

/** A process group of a call or job that was recorded before it ran. */
export interface Running extends ProcessGroup {
  /** The call, or the job that went on when the call had ended. */
  readonly of: string
}

/**
 * What a transcript's records say. A record of an older generation counts before the line with which a newer one
 * opened the transcript, never after.
 */
export interface TranscriptState {
  generation: number
  /** As the model is told them; grows at its end and is never changed before it. */
  readonly turns: Turn[]
  /** Ids of the messages that stand in a user turn. */
  readonly mail: Set<string>
  /** Calls of the last assistant turn whose result has not come in; their turn joins `turns` when all have. */
  readonly open: Map<string, ToolCall>
  readonly results: CallResult[]
  /** Process groups that were begun, until the end of their call or job stands in the transcript. */
  readonly running: Map<string, Running>
  /** Jobs in the background whose end the model has not been told, with what they are about. */
  readonly jobs: Map<string, string>
  /** How those of them ended that have: whoever resumes must not say that they were interrupted. */
  readonly ends: Map<string, EndedJob>
  /** How many jobs there ever were, so that no id means two. */
  jobCount: number
}

export function emptyTranscript(): TranscriptState {
  return {
    generation: 0,
    turns: [],
    mail: new Set(),
    open: new Map(),
    results: [],
    running: new Map(),
    jobs: new Map(),
    ends: new Map(),
    jobCount: 0,
  }
}

/** Folds one record; false if it does not count, because a newer generation had opened the transcript before it. */
export function applyTurn(state: TranscriptState, record: LogRecord): boolean {
  const generation = typeof record.generation === 'number' ? record.generation : 0
  if (generation < state.generation) return false
  if (record.open === true) state.generation = generation
  // Written by us alone and summed, so its shape is not checked again at every opening.
  if (record.user) {
    hearTurn(state.turns, record.user as unknown as UserTurn)
    for (const id of (record.mail ?? []) as string[]) state.mail.add(id)
    for (const id of (record.jobs ?? []) as string[]) endJob(state, id)
  }
  if (record.assistant) {
    const turn = record.assistant as unknown as AssistantTurn
    state.turns.push(turn)
    for (const part of turn.content)
      if (part.type === 'tool-call' && !part.providerExecuted) state.open.set(part.toolCallId, part)
  }
  if (record.result) addResult(state, record.result as unknown as CallResult)
  if (record.began) {
    const began = record.began as unknown as Running
    state.running.set(String(began.pid), began)
  }
  if (record.job) {
    const { id, about } = record.job as unknown as BegunJob
    state.jobs.set(id, about)
    state.jobCount++
  }
  if (record.ended) {
    const ended = record.ended as unknown as EndedJob
    if (state.jobs.has(ended.id)) state.ends.set(ended.id, ended)
  }
  return true
}

export interface BegunJob {
  readonly id: string
  readonly about: string
}

export interface EndedJob {
  readonly id: string
  readonly state: string
  readonly summary: string
}

/** The model was told of its end, in the same record: whoever resumes has nothing more to say about it. */
function endJob(state: TranscriptState, id: string): void {
  state.jobs.delete(id)
  state.ends.delete(id)
  endGroups(state, id)
}

function endGroups({ running }: TranscriptState, of: string): void {
  for (const [pid, group] of running) if (group.of === of) running.delete(pid)
}

/** What is heard before the model answered what was heard before it is one turn: roles always alternate. */
function hearTurn(turns: Turn[], heard: UserTurn): void {
  const last = turns.at(-1)
  if (last?.role !== 'user') turns.push(heard)
  else turns[turns.length - 1] = { ...last, content: [...last.content, ...heard.content] }
}

/** Results come in as calls end; the turn they make stands in the order of the calls. */
function addResult(state: TranscriptState, result: CallResult): void {
  if (!state.open.has(result.toolCallId)) return
  endGroups(state, result.toolCallId)
  state.results.push(result)
  if (state.results.length < state.open.size) return
  const order = [...state.open.keys()]
  const inOrder = state.results.splice(0).sort((a, b) => order.indexOf(a.toolCallId) - order.indexOf(b.toolCallId))
  state.open.clear()
  state.turns.push({ role: 'tool', content: inOrder })
}

/** Calls of the last assistant turn that nobody knows the end of. */
export function unanswered({ open, results }: TranscriptState): ToolCall[] {
  return [...open.values()].filter((call) => !results.some((result) => result.toolCallId === call.toolCallId))
}
