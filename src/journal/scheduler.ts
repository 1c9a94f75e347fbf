/** Which agent uses the event loop next. Answers of models go first: their agents have waited for them. */
export interface Scheduler {
  /** Runs the job of `who` at once, or when it is the turn of `who`; jobs of one and the same stay in order. */
  enqueue(who: object, job: () => void): void
  /** Resolves in a round of its own when no agent runs or waits: for views and other bookkeeping. */
  whenIdle(): Promise<void>
}

/** Bookkeeping that waited so long runs although the event loop is not idle. */
const MAX_CHORE_WAIT_MS = 20

interface Chore {
  readonly since: number
  begin(): void
}

/**
 * Handles one answer per round of the event loop, with everything up to the next request of its agent. Answers that
 * arrive together would otherwise all be handled before the first of those requests is sent, and so arrive together
 * again: every agent would wait for every other in every turn.
 */
export function createScheduler(
  nextRound: (go: () => void) => unknown = setImmediate,
  now: () => number = () => performance.now(),
): Scheduler {
  const waiting = new Map<object, (() => void)[]>()
  const chores: Chore[] = []
  let inside: object | undefined

  function letIn(who: object): void {
    inside = who
    // Undici checks a connection that was idle for one round before it writes, so the request is sent in the round
    // after this one.
    nextRound(() => nextRound(letNextIn))
  }

  function letNextIn(): void {
    inside = undefined
    const [next] = waiting
    if (!next) return beginChore()
    while (chores[0] && now() - chores[0].since >= MAX_CHORE_WAIT_MS) chores.shift()?.begin()
    const [who, jobs] = next
    waiting.delete(who)
    letIn(who)
    for (const job of jobs) job()
  }

  function beginChore(): void {
    chores.shift()?.begin()
    if (chores.length > 0) nextRound(beginChoreIfFree)
  }

  function beginChoreIfFree(): void {
    // The running agent admits the next one.
    if (inside === undefined) beginChore()
  }

  return {
    enqueue(who, job) {
      const mine = waiting.get(who)
      if (mine) {
        mine.push(job)
      } else if (inside === undefined || inside === who) {
        if (inside === undefined) letIn(who)
        job()
      } else {
        waiting.set(who, [job])
      }
    },
    whenIdle: () =>
      new Promise((begin) => {
        if (chores.push({ since: now(), begin }) === 1) nextRound(beginChoreIfFree)
      }),
  }
}

/** The scheduler of this process: there is one event loop. */
export const scheduler = createScheduler()
