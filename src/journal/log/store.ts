import type { Json } from '../../team/data/json.ts'
import type { Views } from '../views.ts'
import type { Cursor } from './cursor.ts'

/** `<team>/journal` or `<team>/transcripts/<member>`; both parts are valid names, checked before they get here. */
export type LogName = `${string}/journal` | `${string}/transcripts/${string}`

/**
 * One line of a log. `id` stays the same over all tries of one decision. With `after` the record is *conditional*: it
 * counts only if `after` is still the id of the last accepted conditional record at its place in the log ('' in an
 * empty log). Without `after` it always counts. `needs` names features a reader must know (`plans@0.8.0`).
 * `tries` says how often this decision lost before. Everything else belongs to the writer of the log.
 */
export interface LogRecord {
  readonly id: string
  readonly after?: string
  readonly tries?: number
  readonly needs?: readonly string[]
  readonly [member: string]: Json | undefined
}

/** An accepted record at its place. `seq` grows along the log and means nothing else. */
export interface Recorded {
  readonly seq: number
  readonly record: LogRecord
  /** How long it is in the log, where the store knows that. */
  readonly bytes?: number
}

/** `repeated`: a record with this id was accepted before; this one changes nothing. */
export type Outcome = 'accepted' | 'conflict' | 'repeated'

export interface Appended {
  /** One per record, in order. Known once our own lines were read back: the next decision may start. */
  readonly outcomes: readonly Outcome[]
  /**
   * Resolves when every accepted record survives a power cut (or only our death, as the store was opened). Begun by
   * reading it: records whose `durable` is never read become durable with the next whose is.
   */
  readonly durable: Promise<void>
}

/**
 * What is wrong with a place in a log; `line` and `offset` (in bytes) say where. `rewound`: it is the same log, but its
 * end is gone and others may stand in its place, because a server took over that did not have everything. `cut off`: its
 * end is gone, as was seen when it was opened.
 */
export interface Fault {
  readonly kind: 'torn' | 'damaged' | 'broken chain' | 'needs newer' | 'replaced' | 'rewound' | 'cut off' | 'not synced'
  readonly path: string
  readonly line: number
  readonly offset: number
  readonly detail: string
  /** What a person can do about it, as a sentence without its full stop. */
  readonly advice?: string
}

/** A line as it stands in the log, for people who want to see what did not count. */
export interface Audited {
  readonly verdict: 'accepted' | 'refused' | 'repeated' | 'torn' | 'damaged' | 'broken chain' | 'needs newer'
  readonly line: number
  readonly offset: number
  readonly seq: number
  readonly record?: LogRecord
}

export interface Snapshot {
  readonly cursor: Cursor
  readonly state: Json
}

/** One handle on one log. A handle is used by one reader at a time; any number of handles and processes share a log. */
export interface Log {
  /**
   * Writes all records in one go, in the tick of the call: nothing another process does comes between the caller's
   * last fold and the write. Each is all or nothing; records chained by `after` lose together. A failure after which
   * a record may or may not be there rejects with `OutcomeUnknown`; a failure that certainly left nothing says so.
   */
  append(records: readonly LogRecord[]): Promise<Appended>

  /** Accepted records after `from`, in order, none missed, in bounded batches; an empty batch means: that was all. */
  read(from: Cursor): Promise<readonly Recorded[]>

  /** The same, then live ones within milliseconds (2 s at the latest). Ends quietly when `signal` aborts. */
  tail(from: Cursor, signal: AbortSignal): AsyncIterable<readonly Recorded[]>

  /** Was a record with this id accepted? Asked after reading to the end; ids older than 100,000 records are forgotten. */
  knows(id: string): Promise<boolean>

  /** Resolves when there may be something after `from`, after `atMost` milliseconds, or when `signal` aborts. */
  changed(from: Cursor, atMost: number, signal?: AbortSignal): Promise<void>

  /**
   * Await it before folding for a decision that lost `tries` times: a writer that lost three times or more, and more
   * often than this one, goes first (200 ms at most). A store may keep other deciders out from here on; call the
   * returned function when the decision was written, or nothing is to be written.
   */
  holdBack(tries?: number): Promise<(() => void) | undefined>

  /** Everything read so far, or at least up to the place `seq`, is durable when this resolves. */
  sync(seq?: number): Promise<void>

  /** The state kept by `save` if it still fits this log and `fold`; else undefined. Asked before the first `read`. */
  restore(fold: number): Promise<Snapshot | undefined>

  /**
   * Keeps `state` as the fold at `cursor`, which is where this handle has read to. Losing it costs only time, so it is
   * not asked for when another handle kept one since this one last did, or when too little has happened since.
   */
  save(fold: number, cursor: Cursor, state: () => Json): Promise<void>

  /** Every line from the beginning with its verdict. Stores that keep no refused lines show accepted ones. */
  audit(): AsyncIterable<readonly Audited[]>

  /** What this handle met so far. Torn lines are harmless; any other fault may forbid writing. */
  faults(): readonly Fault[]

  /** The value with every ticket in it replaced by its text, for a person or a model to read. See `LogOptions`. */
  whole<T>(value: T): Promise<T>

  /**
   * Only of logs that can be rewound: a new handle on what is there now, to be folded from the beginning. Asked for by
   * a reader that met the fault `rewound`, after which this handle is of no more use.
   */
  reopen?(): Promise<Log>

  close(): Promise<void>
}

export interface LogOptions {
  /**
   * Long texts (over 8 KB) may be read as short tickets that stand in their place, so that a text travels only to
   * callers that ask for it with `whole`. Stores that have nothing to gain by it hand out everything as it is.
   */
  readonly longTexts?: boolean
}

/** Names a process in records; equal only for the same process of the same boot of one machine. */
export type RuntimeId = string

/** How long a process counts as alive without a word. */
export interface Lease {
  /** By the clock of the store; grows with every renewal. */
  readonly until: number
  /** Seconds; 0 or less when it has ended. */
  readonly left: number
}

export interface Presence {
  /** This very process. */
  readonly self: RuntimeId
  /**
   * Says that this process runs members of `team`, and where its control socket is; withdrawn by `withdraw` or by death. A
   * store that keeps no files may leave the socket out.
   */
  announce(team: string, about?: { readonly control?: string }): Promise<void>
  renew(team: string): Promise<void>
  withdraw(team: string): Promise<void>
  /**
   * Renews the lease of this process where it may have ended, because the process was stopped or the machine slept.
   * Asked before this process acts; whether another one has taken over meanwhile is then read from the log.
   */
  confirm(): Promise<void>
  /** `unknown`: another machine or pid namespace, about which only a lease could tell. A silent process is `alive`. */
  look(runtime: RuntimeId): Promise<'alive' | 'dead' | 'unknown'>
  /** Where leases decide: that of another process, unless it is known to run. */
  leaseOf?(runtime: RuntimeId): Promise<Lease | undefined>
}

export interface Store extends AsyncDisposable {
  readonly presence: Presence
  /** Opens a log without making it; its first accepted record makes it. */
  log(name: LogName, options?: LogOptions): Promise<Log>
  /** Names of all teams that have a journal, or had one that is lost; sorted. */
  teams(): Promise<readonly string[]>
  /** Files beside the journal, where the store has them. */
  views?(team: string): Views
  /** Puts a team and its board away; with `purge` for good. The same name then starts fresh. */
  remove(team: string, purge: boolean): Promise<void>
  /** Warns the caller that opened the store of what is wrong without being a reason to stop. */
  warn?(message: string): void
}
