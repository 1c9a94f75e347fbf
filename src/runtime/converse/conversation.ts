import type { Model, Reply, ToolCall, UserTurn } from '../../ports/model.ts'
import type { Order } from '../../ports/order.ts'
import type { MailFile, Tool, ToolWorld, Wish } from '../../ports/tool.ts'
import type { Transcript } from '../transcript.ts'

/** One agent with all it talks to. Nothing here belongs to a provider, a terminal or a disk. */
export interface Conversation {
  readonly agent: Agent
  readonly transcript: Transcript
  readonly used: Used
  readonly memory: Memory
  /** Only where the run is recorded or replayed: the order in which it hears, asks and acts among others. */
  readonly order?: Order | undefined
  /** How much work hangs on its next call. */
  urgency?(): number
  /** What is new for this agent since it last listened; undefined when nothing is. */
  listen(): Promise<News | undefined>
  /** These messages stand in the transcript, as the result of a call; `turn` is its record there. */
  acknowledge(mail: readonly string[], turn: string | undefined): Promise<void>
  /** What a call of the model used, for the accounts. Nothing waits for it: the transcript has it too. */
  account(reply: Reply): void
  /** May it do this? Asks whoever is to be asked; what nobody can answer is denied. No wish: it needs no leave. */
  mayDo(wish: Wish | undefined, call: ToolCall, signal: AbortSignal): Promise<Leave>
  /** What a tool is given for one call. */
  worldOf(call: ToolCall, signal: AbortSignal, progress: (text: string) => void): ToolWorld
}

/** What an agent has besides its conversation, so that this never outgrows the model. */
export interface Memory {
  /** Keeps an output that leaves the conversation; the path under which the agent can read it again. */
  keep(content: Uint8Array | string, about: string): string
  /** Who the agent is and how things stand right now: said again wherever the history is cut. */
  situation(): Promise<string>
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
  /** Model calls of all agents in this run, summaries included. */
  readonly turns?: number | undefined
  /** US dollars in this run. */
  readonly dollars?: number | undefined
}

/** What a run has used so far: lead, teammates and subagents count in the same purse. */
export interface Used {
  readonly purse: { dollars: number; calls: number }
}

export function nothingUsed(purse: Used['purse'] = { dollars: 0, calls: 0 }): Used {
  return { purse }
}

/** The limit that lets no agent of the run make another model call; undefined while there is none. */
export function limitReached({ turns, dollars }: Limits, { purse }: Used): 'turns' | 'dollars' | undefined {
  if (turns !== undefined && purse.calls >= turns) return 'turns'
  return dollars !== undefined && purse.dollars >= dollars ? 'dollars' : undefined
}

/**
 * `isForNow`: something else has to happen first, so the denial is not reported. `byHook`: a hook of the
 * user refused it, and may let it pass later.
 */
export type Leave =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly why: string; readonly isForNow?: boolean; readonly byHook?: boolean }

export interface News {
  readonly turn: UserTurn
  /** Ids of the messages in it. */
  readonly mail: readonly string[]
  /** Ids of the jobs whose end it tells. */
  readonly jobs: readonly string[]
  /** Long messages of which the turn holds head and tail: the rest is in these files, which are durable. */
  readonly files?: readonly MailFile[]
  /** The task that it tells of. */
  readonly task?: string | undefined
  /** All that it tells of is durable when this resolves: a power cut must not leave a turn of which nothing is true. */
  isTrue(): Promise<void>
  /** To be called when the turn is in the transcript, and not before. */
  acknowledge(): Promise<void>
}

/** What the runtime has to tell an agent besides mail: a job has ended, or was interrupted. Each is taken once. */
export interface Notices {
  add(notice: Notice): void
  /** Those at the front for which `fits` holds, the first in any case; the others wait for the next turn. */
  take(fits?: (notice: Notice) => boolean): readonly Notice[]
  readonly waiting: number
}

export interface Notice {
  readonly text: string
  /** The job whose end it tells. */
  readonly job?: string
  /** The task it tells of: what is done from here on is done for it. */
  readonly task?: string | undefined
}

export function createNotices(): Notices {
  const notices: Notice[] = []
  return {
    add: (notice) => void notices.push(notice),
    take(fits = () => true) {
      const first = notices.slice(0, 1)
      if (first[0]) fits(first[0])
      const end = notices.findIndex((notice, at) => at > 0 && !fits(notice))
      return notices.splice(0, end === -1 ? notices.length : end)
    },
    get waiting() {
      return notices.length
    },
  }
}
