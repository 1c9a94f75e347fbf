import type { Order } from '../journal/order.ts'
import type { Model, Reply, ToolCall, UserTurn } from '../models/model.ts'
import type { Check } from '../permissions/permission.ts'
import type { MailFile, Tool, ToolContext } from '../tools/tool.ts'
import type { Transcript } from './transcript/transcript.ts'

/** One model with its conversation. What differs between a lead, a teammate and a subagent is data. */
export interface Agent {
  readonly name: string
  readonly system: string
  readonly model: Model
  readonly tools: readonly Tool[]
  readonly maxOutput?: number | undefined
  readonly limits: Limits
  readonly transcript: Transcript
  readonly used: RunUsage
  readonly memory: Memory
  /** Only where the run is recorded or replayed: the order in which it hears, asks and acts among others. */
  readonly order?: Order | undefined
  /** How much work hangs on its next call. */
  urgency?(): number
  /** What is new for this agent since it last listened; undefined when nothing is. */
  nextInput(): Promise<Input | undefined>
  /** These messages stand in the transcript, as the result of a call; `turn` is its record there. */
  acknowledge(mail: readonly string[], turn: string | undefined): Promise<void>
  /** What a call of the model used, for the accounts. Nothing waits for it: the transcript has it too. */
  recordUsage(reply: Reply): void
  readonly check: Check
  /** What a tool is given for one call. */
  toolContext(call: ToolCall, signal: AbortSignal, progress: (text: string) => void): ToolContext
}

/** What an agent has besides its conversation, so that this never outgrows the model. */
export interface Memory {
  /** Keeps an output that leaves the conversation; the path under which the agent can read it again. */
  keep(content: Uint8Array | string, about: string): string
  /** Who the agent is and how things stand right now: said again wherever the history is cut. */
  situation(): Promise<string>
}

/** An agent that the supervisor runs. */
export interface OpenAgent extends Agent, AsyncDisposable {
  readonly notices: Notices
  /** Turns of its conversation are lost, and it was told so. */
  readonly hasLostTurns?: boolean
  /** Writes pending activity and usage to the journal; the next write or input reports what goes wrong with that. */
  flushReports(): void
}

export interface Limits {
  /** Model calls of all agents in this run, summaries included. */
  readonly turns?: number | undefined
  /** US dollars in this run. */
  readonly dollars?: number | undefined
}

/** What a run has used so far: lead, teammates and subagents count in the same purse. */
export interface RunUsage {
  readonly purse: { dollars: number; calls: number }
}

export function noUsage(purse: RunUsage['purse'] = { dollars: 0, calls: 0 }): RunUsage {
  return { purse }
}

/** The limit that lets no agent of the run make another model call; undefined while there is none. */
export function limitReached({ turns, dollars }: Limits, { purse }: RunUsage): 'turns' | 'dollars' | undefined {
  if (turns !== undefined && purse.calls >= turns) return 'turns'
  return dollars !== undefined && purse.dollars >= dollars ? 'dollars' : undefined
}

export interface Input {
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
  waitUntilDurable(): Promise<void>
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
