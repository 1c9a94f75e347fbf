/**
 * The order in which the agents of a run act on what they share: board, mail, workspace, limits. A recording keeps it,
 * and a replay imposes it again. A run that is neither recorded nor replayed has none.
 */
export interface Order {
  /**
   * Runs `work` when it is the turn of the step of this name. No other step runs meanwhile, nor before the caller has
   * used the result synchronously. Steps that `work` takes itself belong to this one.
   */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T>
  /** For work that takes long, such as a tool call: its beginning and its end are steps, others run in between. */
  span<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Of a replay, while it keeps the recorded order: is the step of this name the next one? */
  expects?(name: string): boolean | undefined
  /** How many steps wait for their turn. */
  readonly waiting: number
  /** Resolves when the next step has run. */
  moved(): Promise<void>
  /** From here on no step waits for another: the run is being ended, or is not the recorded one. */
  release(why: string): void
}

/** A step that only waits for its turn: what the caller does next, before it awaits anything, belongs to it. */
export const turnOnly = (): void => {}
