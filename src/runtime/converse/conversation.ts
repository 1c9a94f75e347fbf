import type { Model, ToolCall } from '../../ports/model.ts'
import type { Tool, ToolWorld, Wish } from '../../ports/tool.ts'
import type { Author } from '../../team/event.ts'
import type { Team } from '../team.ts'
import type { Transcript } from '../transcript.ts'

/** One agent with all it talks to. Nothing here belongs to a provider, a terminal or a disk. */
export interface Conversation {
  readonly agent: Agent
  readonly team: Team
  readonly transcript: Transcript
  readonly notices: Notices
  /** May it do this? Asks whoever is to be asked; what nobody can answer is denied. */
  mayDo(wish: Wish, call: ToolCall, signal: AbortSignal): Promise<Leave>
  /** What a tool is given for one call. */
  worldOf(call: ToolCall, signal: AbortSignal, progress: (text: string) => void): ToolWorld
}

export interface Agent {
  readonly name: string
  /** How its records are signed: with generation and epoch, by which they are fenced. */
  readonly author: Author
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
