import type { Order } from '../journal/replay/order.ts'
import type { Model, Reply, ToolCall } from '../models/model.ts'
import type { Permissions } from '../permissions/permission.ts'
import type { EventOf } from '../team/event.ts'
import type { Jobs, Tool, ToolContext } from '../tools/tool.ts'
import type { AgentEvent, Stop } from './agent-event.ts'
import type { Blocker } from './calls/repeated-failures.ts'
import type { Inbox } from './input/inbox.ts'
import type { Transcript } from './transcript/transcript.ts'

/** One model with its conversation. What differs between a lead, a teammate and a subagent is data. */
export interface Agent {
  readonly name: string
  readonly system: string
  readonly model: Model
  /** As they are now: those of MCP servers may change between two model calls. */
  readonly tools: readonly Tool[]
  /** Resolves when tools that come from elsewhere are known. */
  readonly toolsReady?: ((signal: AbortSignal) => Promise<void>) | undefined
  readonly maxOutput?: number | undefined
  readonly limits: Limits
  readonly transcript: Transcript
  /** Its next input: mail, notices, its task; acknowledged after the transcript has it. */
  readonly inbox: Inbox
  /** May it do this? Allowed, or why not and what to do. */
  readonly permissions: Pick<Permissions, 'check'>
  readonly used: RunUsage
  readonly memory: Memory
  /** Only where the run is recorded or replayed: the order of its inputs, model calls and tool calls among those of others. */
  readonly order?: Order | undefined
  /** How much work depends on its next model call. */
  urgency?(): number
  /** Tells its superior that a call fails again and again. */
  reportBlocker?(blocker: Blocker): void
  /** Reports what a model call used. Nothing waits for it: the transcript has it too. */
  recordUsage(reply: Reply): void
  /** What a tool is given for one call. */
  toolContext(call: ToolCall, signal: AbortSignal, progress: (text: string) => void): ToolContext
}

/** What an agent has besides its conversation, so that the conversation never outgrows the model's window. */
export interface Memory {
  /** Keeps an output that leaves the conversation; the path under which the agent can read it again. */
  keep(content: Uint8Array | string, about: string): string
  /** Who the agent is and the state of its team right now: repeated wherever the history is cut. */
  situation(): Promise<string>
}

/**
 * Runs one turn of an agent: takes its input, works until nothing is left to do, and returns how that ended. What it takes
 * stands in the transcript before it is sent anywhere. Ends soon after `signal` aborts, and never throws.
 */
export type RunTurn = (agent: Agent, signal: AbortSignal) => AsyncGenerator<AgentEvent, Stop>

/** An agent that the supervisor runs. */
export interface OpenAgent extends Agent, AsyncDisposable {
  /** Our own loop, or the program of another vendor. */
  readonly runTurn: RunTurn
  readonly jobs: Jobs
  /** Turns of its conversation are lost, and its next turn says so. */
  readonly hasLostTurns?: boolean
  /** Writes pending usage to the journal; the next input throws what goes wrong with that. */
  flushReports(): void
  /** Resolves when usage and activity are in the journal, durably. */
  settleReports(): Promise<void>
  /** Reports that it works or is idle; written on change only. */
  setActivity(status: EventOf<'member.activity'>['status']): void
}

export interface Limits {
  /** Model calls of all agents in this run, summaries included. */
  readonly turns?: number | undefined
  /** US dollars in this run. */
  readonly dollars?: number | undefined
}

/** What all agents of a run have used so far: lead, teammates and subagents together. */
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
