import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Action } from '../permissions/permission.ts'
import type { ProcessGroup } from '../permissions/processes/process-group.ts'
import type { Sandbox } from '../permissions/sandbox/sandbox.ts'
import type { HandOffFiles } from '../team/plans/plan-views.ts'
import type { TeamMembership } from './team-membership.ts'

/**
 * Something an agent can do. A tool is a value; `run` receives its context. The functions are methods, so that a
 * `Tool<Input>` is assignable to `Tool`.
 */
export interface Tool<Input = unknown> {
  readonly name: string
  /** Tells the model when and how to use it. */
  readonly description: string
  /** Checks what the model wrote; zod, valibot, arktype or any other Standard Schema. */
  readonly input: StandardSchemaV1<unknown, Input>
  /** The same as JSON Schema, an object, for the model. */
  readonly schema: { readonly [key: string]: unknown }
  /** Changes nothing: it may run in parallel with other calls of its turn, and again after a power cut. */
  readonly isReadOnly?: boolean | undefined
  /**
   * Running it again, after a power cut that removed the call from the conversation, changes nothing more. By default
   * true for a read-only tool.
   */
  isRepeatable?(input: Input): boolean
  /** May run in parallel with other calls of its turn. */
  isParallel?(input: Input): boolean
  /** What it is about to do, for the permission check before it runs; undefined where no permission is needed. */
  action?(input: Input): Action | undefined
  /** Throws only when it was aborted; any other failure is a result that tells the model what to do. */
  run(input: Input, context: ToolContext): Promise<ToolResult>
}

export interface ToolResult {
  readonly text: string
  readonly isError?: boolean
  readonly images?: readonly { readonly data: string; readonly mediaType: string }[]
  /** Ids of messages that this result delivers. */
  readonly mail?: readonly string[]
  /** Long messages of which it holds head and tail: all of each is in a file, which is durable. */
  readonly files?: readonly MailFile[]
  /** The task that the agent claimed by this call. */
  readonly task?: string
  /**
   * The agent ended its own task by this call. `done`: it got its next task with that; `none`: there was none for it; `due`:
   * it gets one when all calls of its answer have ended.
   */
  readonly handOver?: 'done' | 'none' | 'due'
  /** Where `text` is cut: the path of the file that holds all of it, as shown to the agent. */
  readonly outputPath?: string
}

/** The file with the whole of a message of which a turn or a result holds head and tail. */
export interface MailFile {
  readonly message: string
  /** As shown to the agent. */
  readonly path: string
  /** Of what was written to it: a file that is not the same any more is written again from the journal. */
  readonly sum?: string | undefined
}

/** What a tool may use while it runs one call of one agent. */
export interface ToolContext {
  readonly agent: string
  readonly team: string
  /** The id the model gave this call. */
  readonly callId: string
  /** The answer of the model that this call is a part of. */
  readonly answer?: AnswerOfCall | undefined
  /** In the order in which the agent joined the teams, its own first; none for an agent without a team. */
  memberships(): readonly TeamMembership[]
  readonly signal: AbortSignal
  /** The workspace root, and further folders the user opened; all real paths. */
  readonly root: string
  readonly folders: readonly string[]
  /** The environment of commands, already without what they must not see. */
  readonly env: Readonly<Record<string, string>>
  /** Undefined where the user does not want a sandbox, or none works here. */
  readonly sandbox?: Sandbox | undefined
  /** Call it before a command, and what it returns behind it: it says which files of ours were taken back. */
  watchViews?(): () => Promise<readonly string[]>
  /** Files of hand-offs, which the runtime writes. */
  readonly handOffFiles?: HandOffFiles | undefined
  readonly outputs: Outputs
  readonly jobs: Jobs
  /**
   * Whether a rule of the user denies this file, by its real path: asked of every file that is opened, so that a link
   * or a search does not reach what was denied by name.
   */
  forbids(kind: 'read' | 'write', path: string): boolean
  /** A file tool wrote this file, by its real path. */
  onWrite?(path: string): void
  /** What this agent read, to notice files that changed since. */
  readonly reads: Reads
  /**
   * Durable before the group's first instruction runs, so that a resumed session can end it. `job` is the id of the job
   * it belongs to, where it outlives the call.
   */
  recordGroup(group: ProcessGroup, job?: string): Promise<void>
  /**
   * Rejects when another process has taken this agent over, or it was stopped. Every call of a tool that changes
   * something passes it directly before it runs; a tool that waits itself awaits it again before its effect.
   */
  fence(): Promise<void>
  /** Reports progress to the user: the newest output, a count. Costs no tokens. */
  progress(text: string): void
}

export interface AnswerOfCall {
  /** What the model wrote beside its calls. */
  readonly text: string
  /** All other calls of the answer have ended. */
  readonly isLastCall: boolean
  /** The id of the decision of this call in the journal: a process that resumes the agent finds by it what the call did. */
  readonly commandId: string
}

/** Large outputs are kept in a file; the model gets head, tail and where the rest is. */
export interface Outputs {
  /** Where the files are, a real path: this agent may read there. */
  readonly folder: string
  /** Cuts `text` to what a result may hold, and keeps all of it in a file that the cut text names. */
  fit(text: string, about: string): Promise<Pick<ToolResult, 'text' | 'outputPath'>>
  /** Keeps all of it, whatever its size; the path by which this agent reads it. Durable when it returns. */
  keep(content: Uint8Array | string, about: string): string
  /** A hash of the file that was kept under this path; undefined where it is missing. */
  sumOf(path: string): string | undefined
  /** What was kept under this path; undefined where it is missing, or not what has this hash. */
  read(path: string, sum: string): Uint8Array | undefined
  /** Writes a file again that was kept under this name and is missing or damaged. */
  restore(name: string, content: string): void
  /** The same as `fit` for what comes in pieces and may be endless. */
  open(about: string): Output
}

/** Keeps head and tail in memory and, once they do not hold it any more, all of it in a file. */
export interface Output {
  /** Synchronous, so that the writer cannot be faster than the disk. */
  write(bytes: Uint8Array): void
  /** What a result may hold of it so far; `''` when there was nothing. */
  text(): string
  /** The file that holds all of it, as shown to the agent; undefined while `text` is not cut. */
  readonly path: string | undefined
  close(): void
}

export interface Reads {
  /** By real path: a hash of what the file held when this agent last read or wrote it. */
  get(path: string): string | undefined
  set(path: string, hash: string): void
}

/** Work that runs while the agent does something else. Each job ends once and is reported once. */
export interface Jobs {
  start(kind: 'bash' | 'agent', about: string, work: (job: JobContext) => Promise<JobEnd>): Job
  get(id: string): Job | undefined
  list(): readonly Job[]
}

export interface JobContext {
  readonly id: string
  readonly signal: AbortSignal
  /** Appends to what `output` shows. */
  write(output: Uint8Array | string): void
}

export interface JobEnd {
  readonly state: 'completed' | 'failed'
  /** The exit code of a command, the final answer of a subagent. */
  readonly summary: string
}

export interface Job {
  readonly id: string
  readonly about: string
  readonly state: 'running' | JobEnd['state'] | 'stopped'
  readonly output: string
  /** Where `output` is cut: the path of the file that holds all of it. */
  readonly outputPath: string | undefined
  readonly summary: string | undefined
  /** Resolves when it has ended, in any state. */
  readonly ended: Promise<void>
  /** Resolves when none of its processes run any more. */
  stop(): Promise<void>
}
