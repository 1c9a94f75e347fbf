import type { Model, Reply, ToolCall, UserTurn } from '../../ports/model.ts'
import type { Tool, ToolWorld, Wish } from '../../ports/tool.ts'
import type { Transcript } from '../transcript.ts'

/** One agent with all it talks to. Nothing here belongs to a provider, a terminal or a disk. */
export interface Conversation {
  readonly agent: Agent
  readonly transcript: Transcript
  /** What is new for this agent since it last listened; undefined when nothing is. */
  listen(): Promise<News | undefined>
  /** What a call of the model used, for the accounts. Nothing waits for it: the transcript has it too. */
  account(reply: Reply): void
  /** May it do this? Asks whoever is to be asked; what nobody can answer is denied. */
  mayDo(wish: Wish, call: ToolCall, signal: AbortSignal): Promise<Leave>
  /** What a tool is given for one call. */
  worldOf(call: ToolCall, signal: AbortSignal, progress: (text: string) => void): ToolWorld
}

export interface Agent {
  readonly name: string
  readonly system: string
  readonly model: Model
  readonly tools: readonly Tool[]
  readonly maxOutput?: number | undefined
  readonly limits: Limits
}

export interface Limits {
  /** Calls of the model in this run. */
  readonly turns?: number | undefined
  /** US dollars in this run. */
  readonly dollars?: number | undefined
}

export type Leave = { readonly allowed: true } | { readonly allowed: false; readonly why: string }

export interface News {
  readonly turn: UserTurn
  /** Ids of the messages in it. */
  readonly mail: readonly string[]
  /** To be called when the turn is in the transcript, and not before. */
  acknowledge(): Promise<void>
}

/** What the runtime has to tell an agent besides mail: a job has ended, a call was interrupted. Each is taken once. */
export interface Notices {
  add(text: string): void
  take(): readonly string[]
  readonly waiting: number
}

export function createNotices(): Notices {
  const texts: string[] = []
  return {
    add: (text) => void texts.push(text),
    take: () => texts.splice(0),
    get waiting() {
      return texts.length
    },
  }
}
