/** Turns of the event loop in which a decision is made that awaits nothing. */
const TURNS = 3

/** Acts after a few turns of the event loop, unless the answer is called before. */
export function afterTurns(act: () => void): () => void {
  let turns = TURNS
  let next = setImmediate(function turn() {
    if (--turns > 0) next = setImmediate(turn)
    else act()
  })
  return () => clearImmediate(next)
}
