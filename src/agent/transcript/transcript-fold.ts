import type { LogRecord } from '../../journal/log/store.ts'
import type { AssistantTurn, ToolCall, ToolTurn, Turn, UserTurn } from '../../models/model.ts'
import type { ProcessGroup } from '../../permissions/processes/process-group.ts'
import type { Usage } from '../../team/members/usage.ts'
import type { MailFile } from '../../tools/tool.ts'

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
  /**
   * As the model gets them; grows at its end. Earlier turns change only where old results are demoted and where the
   * history is summarised: all of it stays in the log.
   */
  readonly turns: Turn[]
  /** The user ended the last turn: the conversation continues with the next message, and not before. */
  isInterrupted: boolean
  /** What the provider counted with its last answer: the tokens of the first `turns` turns, system prompt and tools. */
  counted: { readonly tokens: number; readonly turns: number } | undefined
  /** Ids of the delivered messages, each with the record that delivered it first. */
  readonly mail: Map<string, string>
  /** By path: the long message that the file holds in full. */
  readonly files: Map<string, MailFile>
  /** The record of the last assistant turn. */
  answer: string
  /** The id under which another vendor's program keeps this conversation; undefined where our own loop runs it. */
  session: string | undefined
  /** What was counted for the conversation under that id, in US dollars. */
  sessionCost: number
  /** Calls of the last assistant turn whose result has not come in; their turn joins `turns` when all have. */
  readonly open: Map<string, ToolCall>
  readonly results: CallResult[]
  /** Of results that were cut: the file that holds all of each. */
  readonly outputPaths: WeakMap<CallResult, string>
  /** Process groups that were started, until the end of their call or job is in the transcript. */
  readonly running: Map<string, Running>
  /** Background jobs whose end was not reported to the model, with their descriptions. */
  readonly jobs: Map<string, string>
  /** How those of them ended that have: after a resume they must not be reported as interrupted. */
  readonly ends: Map<string, EndedJob>
  /** How many jobs there ever were, so that no id is used twice. */
  jobCount: number
}

export function emptyTranscript(): TranscriptState {
  return {
    generation: 0,
    turns: [],
    isInterrupted: false,
    counted: undefined,
    mail: new Map(),
    files: new Map(),
    answer: '',
    session: undefined,
    sessionCost: 0,
    open: new Map(),
    results: [],
    outputPaths: new WeakMap(),
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
  for (const id of (record.mail ?? []) as string[]) if (!state.mail.has(id)) state.mail.set(id, record.id)
  for (const file of (record.files ?? []) as unknown as MailFile[]) state.files.set(file.path, file)
  // Written by this program only and checksummed, so its shape is not validated again.
  if (record.user) {
    addUserTurn(state.turns, record.user as unknown as UserTurn)
    state.isInterrupted = record.interrupted === true
    for (const id of (record.jobs ?? []) as string[]) endJob(state, id)
  }
  if (record.assistant) {
    const turn = record.assistant as unknown as AssistantTurn
    state.turns.push(turn)
    state.answer = record.id
    for (const part of turn.content)
      if (part.type === 'tool-call' && !part.providerExecuted) state.open.set(part.toolCallId, part)
    if (typeof record.cost === 'number') state.sessionCost += record.cost
    count(state, record.usage as unknown as Usage | undefined)
  }
  if (record.result) {
    const result = record.result as unknown as CallResult
    if (typeof record.outputPath === 'string') state.outputPaths.set(result, record.outputPath)
    addResult(state, result)
  }
  if (record.demoted) applyDemoted(state, record.demoted as unknown as Demoted)
  if (record.compacted) applyCompacted(state, record.compacted as unknown as Compacted)
  if (record.began) {
    const began = record.began as unknown as Running
    state.running.set(String(began.pid), began)
  }
  if (typeof record.session === 'string') Object.assign(state, { session: record.session, sessionCost: 0 })
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

/** Results that the model does not get any more; each place names the text it gets instead. */
export interface Demoted {
  readonly results: readonly { readonly turn: number; readonly part: number; readonly text: string }[]
  /** User turns that were too long for the model, with the texts it gets instead. */
  readonly turns?: readonly { readonly turn: number; readonly texts: readonly string[] }[]
  /** About so many tokens of what the provider counted. */
  readonly saved: number
}

/** The history but its last `keep` turns is replaced by one turn from here on. */
export interface Compacted {
  readonly turn: UserTurn
  readonly keep: number
  /** About so many tokens there were. */
  readonly before: number
}

function applyDemoted(state: TranscriptState, { results, turns: cut = [], saved }: Demoted): void {
  const { turns, counted } = state
  for (const { turn: at, part, text } of results) {
    const turn = turns[at] as ToolTurn
    const content = [...turn.content]
    content[part] = { ...(content[part] as CallResult), output: { type: 'text', value: text } }
    turns[at] = { ...turn, content }
  }
  for (const { turn: at, texts } of cut)
    turns[at] = { ...(turns[at] as UserTurn), content: texts.map((text) => ({ type: 'text', text })) }
  if (counted) state.counted = { ...counted, tokens: Math.max(0, counted.tokens - saved) }
}

function applyCompacted(state: TranscriptState, { turn, keep }: Compacted): void {
  const { turns } = state
  const kept = turns.splice(turns.length - keep, keep)
  turns.length = 0
  turns.push(turn)
  for (const old of kept) {
    if (old.role === 'user') addUserTurn(turns, old)
    else turns.push(old)
  }
  state.counted = undefined
}

/** Providers that count nothing say 0. */
function count(state: TranscriptState, usage: Usage | undefined): void {
  if (!usage) return
  const tokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output
  if (tokens > 0) state.counted = { tokens, turns: state.turns.length }
}

export interface EndedJob {
  readonly id: string
  readonly state: string
  readonly summary: string
}

/** Its end was reported to the model in the same record, and is not reported again after a resume. */
function endJob(state: TranscriptState, id: string): void {
  state.jobs.delete(id)
  state.ends.delete(id)
  endGroups(state, id)
}

function endGroups({ running }: TranscriptState, of: string): void {
  for (const [pid, group] of running) if (group.of === of) running.delete(pid)
}

/** Input that arrives before the model answered joins the last user turn: roles always alternate. */
function addUserTurn(turns: Turn[], input: UserTurn): void {
  const last = turns.at(-1)
  if (last?.role !== 'user') turns.push(input)
  else turns[turns.length - 1] = { ...last, content: [...last.content, ...input.content] }
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

/**
 * The id under which the decision of an open call is recorded. Not the id of the call alone: some providers number the calls
 * of each answer from 0.
 */
export function commandIdOf({ answer, open }: TranscriptState, call: ToolCall): string {
  return `${answer}.${[...open.keys()].indexOf(call.toolCallId) + 1}`
}

/** The model has to answer what stands last in the conversation. */
export function awaitsAnswer({ turns, isInterrupted }: Pick<TranscriptState, 'turns' | 'isInterrupted'>): boolean {
  const last = turns.at(-1)
  return last !== undefined && (last.role !== 'assistant' || isCutShort(last)) && !isInterrupted
}

/** Marks words of another vendor's agent after which its program died or was cancelled: they are no answer. */
export const CUT_SHORT = { deskmates: { cutShort: true } } as const

export function isCutShort({ content }: AssistantTurn): boolean {
  return content.some((part) => part.type === 'text' && part.providerOptions?.deskmates?.cutShort === true)
}

/** Calls of the last assistant turn without a result. */
export function unanswered({ open, results }: TranscriptState): ToolCall[] {
  return [...open.values()].filter((call) => !results.some((result) => result.toolCallId === call.toolCallId))
}
