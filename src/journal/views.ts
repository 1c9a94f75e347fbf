import type { EventOf } from '../team/event.ts'
import type { TeamState } from '../team/state.ts'
import type { Cursor } from './log/cursor.ts'

/**
 * What people and foreign programs see of a team beside its journal: roster, tasks and mailboxes as files, and the
 * mailbox files to which any program may append a line. No view decides anything;
 * a lost view is built again from the journal.
 */
export interface Views {
  /** Brings everything that changed up to `state`, which is the fold at `cursor`. Cheap when nothing changed. */
  write(state: TeamState, cursor: Cursor): Promise<void>

  /**
   * The same for a busy process: what is to be written is settled now, and each step writes a few files
   * of it. They are taken in order, all of them, before anything else is shown.
   */
  writeSteps(state: TeamState, cursor: Cursor): Promise<readonly (() => void)[]>

  /**
   * Archives the lines in the mailbox files and reads them. The caller then folds the journal to its end (a line of
   * ours is in the journal before it is in a file), asks `facts`, appends them, folds, and calls `settle`.
   * Undefined when there is no line.
   */
  collect(state: TeamState): Promise<IncomingLines | undefined>

  /** Resolves when a mailbox file may have changed. */
  inboxChanged(atMost: number, signal?: AbortSignal): Promise<void>

  /** How far in the journal the views have ever shown it; a journal that ends before has lost its end. */
  writtenTo(): Promise<number>

  /** What does not agree with the journal, for `check`; `repair` builds it again. */
  differences(state: TeamState, cursor: Cursor): Promise<readonly string[]>
  repair(state: TeamState, cursor: Cursor): Promise<void>
}

export interface IncomingLines {
  /** Foreign lines as facts, in order; lines we wrote ourselves are left out. `state` is folded to the end. */
  facts(state: TeamState): readonly (EventOf<'external.received'> | EventOf<'external.rejected'>)[]
  /** After the facts were folded: writes rejected lines to their file, removes finished archives, shows unread mail again. */
  settle(state: TeamState): Promise<void>
}
