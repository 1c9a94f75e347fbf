import type { StandardSchemaV1 } from '@standard-schema/spec'

/** Something an agent can do. A value: what it needs of the world it is given when it runs. */
export interface Tool<Input = unknown> {
  readonly name: string
  /** Tells the model when and how to use it. */
  readonly description: string
  /** Checks what the model wrote; zod, valibot, arktype or any other Standard Schema. */
  readonly input: StandardSchemaV1<unknown, Input>
  /** The same as JSON Schema, an object, for the model. */
  readonly schema: { readonly [key: string]: unknown }
  /** Runs beside other calls of its turn: it changes nothing they look at. */
  readonly isParallel?: (input: Input) => boolean
  /** What it is about to do, for the policy to judge before it runs; undefined where no leave is needed. */
  readonly wish?: (input: Input) => Wish | undefined
  /** Throws only when it was aborted; what went wrong otherwise is a result the model can act on. */
  run(input: Input, world: ToolWorld): Promise<ToolResult>
}

export type Wish =
  | { readonly kind: 'run'; readonly tool: string; readonly command: string }
  | { readonly kind: 'read'; readonly tool: string; readonly path: string }
  | { readonly kind: 'write'; readonly tool: string; readonly path: string }
  | { readonly kind: 'use'; readonly tool: string }

export interface ToolResult {
  readonly text: string
  readonly isError?: boolean
  readonly images?: readonly { readonly data: string; readonly mediaType: string }[]
}

/** What a tool may use while it runs one call of one agent. */
export interface ToolWorld {
  readonly agent: string
  readonly team: string
  /** The id the model gave this call. */
  readonly call: string
  readonly signal: AbortSignal
  /** The workspace root, and further folders the user opened; all real paths. */
  readonly root: string
  readonly folders: readonly string[]
  /** The environment of commands, already without what they must not see. */
  readonly env: Readonly<Record<string, string>>
  readonly outputs: Outputs
  readonly jobs: Jobs
  /** What this agent read, to notice files that changed since. */
  readonly reads: Reads
  /** Durable before the group's first instruction runs, so that whoever resumes can end it. */
  recordGroup(group: ProcessGroup): Promise<void>
  /** A sign of life for whoever watches: the newest output, a count. Costs no tokens. */
  progress(text: string): void
}

/** A process group of ours: the pid alone may belong to somebody else by now. */
export interface ProcessGroup {
  readonly pid: number
  /** When it started, in whatever unit the system counts; compared, never read. */
  readonly started: string
}

/** Large outputs are kept in a file; the model gets head, tail and where the rest is. */
export interface Outputs {
  /** Cuts `text` to what a result may hold, keeping the whole under the returned path. */
  fit(text: string, about: string): Promise<string>
}

export interface Reads {
  /** By real path: what the file looked like when this agent last read or wrote it. */
  get(path: string): FileMark | undefined
  set(path: string, mark: FileMark): void
}

export interface FileMark {
  readonly size: number
  readonly modified: number
  readonly hash: string
}

/** Work that goes on while the agent does something else. Each ends once, in one of three ways, and says so once. */
export interface Jobs {
  start(kind: 'bash' | 'agent', about: string, work: (job: JobWorld) => Promise<JobEnd>): Job
  get(id: string): Job | undefined
  list(): readonly Job[]
}

export interface JobWorld {
  readonly id: string
  readonly signal: AbortSignal
  /** Appends to what `output` shows. */
  write(text: string): void
}

export interface JobEnd {
  readonly state: 'completed' | 'failed'
  /** What came of it: the exit code of a command, the last words of an agent. */
  readonly summary: string
}

export interface Job {
  readonly id: string
  readonly about: string
  readonly state: 'running' | JobEnd['state'] | 'stopped'
  readonly output: string
  readonly summary: string | undefined
  /** Resolves when it has ended, in whatever way. */
  readonly ended: Promise<void>
  /** Ends it for real; resolves when nothing of it runs any more. */
  stop(): Promise<void>
}
