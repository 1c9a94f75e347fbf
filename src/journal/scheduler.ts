/** Which agent uses the event loop next. Answers of models go first: their agents have waited for them. */
export interface Scheduler {
  /** Runs the job of `who` at once, or when it is the turn of `who`; jobs of one and the same stay in order. */
  enqueue(who: object, job: () => void): void
  /** Resolves in a round of its own when no agent runs or waits: for views and other bookkeeping. */
  whenIdle(): Promise<void>
}

/** Milliseconds after which bookkeeping does not wait for quiet any longer. */
const MAX_CHORE_WAIT_MS = 20

interface Chore {
  readonly since: number
  begin(): void
}

/**
 * Lets one answer through in a round of the event loop, with all that follows from it up to the next request. Answers
 * that come in together would otherwise all be worked on before the first of those requests goes out, and so come in
 * together again: every agent would wait for every other in every turn.
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
    // Undici looks at a connection that rested for a round before it writes, so the request goes out in the round
    // after this one, behind this call.
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
    if (chores.length > 0) nextRound(look)
  }

  function look(): void {
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
        if (chores.push({ since: now(), begin }) === 1) nextRound(look)
      }),
  }
}

/** Of this process: there is one event loop. */
export const scheduler = createScheduler()
