/** Runs the job of `who` at once, or when it is the turn of `who`; jobs of one and the same stay in order. */
export type Turnstile = (who: object, job: () => void) => void

/**
 * Lets one answer through in a round of the event loop, with all that follows from it up to the next request. Answers
 * that come in together would otherwise all be worked on before the first of those requests goes out, and so come in
 * together again: everybody would wait for everybody in every turn.
 */
export function createTurnstile(nextRound: (go: () => void) => unknown = setImmediate): Turnstile {
  const waiting = new Map<object, (() => void)[]>()
  let inside: object | undefined

  function enter(who: object): void {
    inside = who
    // Undici looks at a connection that rested for a round before it writes, so the request goes out in the round
    // after this one, behind this call.
    nextRound(() => nextRound(letNextIn))
  }

  function letNextIn(): void {
    inside = undefined
    for (const [who, jobs] of waiting) {
      waiting.delete(who)
      enter(who)
      for (const job of jobs) job()
      return
    }
  }

  return (who, job) => {
    const mine = waiting.get(who)
    if (mine) {
      mine.push(job)
    } else if (inside === undefined || inside === who) {
      if (inside === undefined) enter(who)
      job()
    } else {
      waiting.set(who, [job])
    }
  }
}
