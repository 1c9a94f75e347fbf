/** The same numbers for the same seed (mulberry32), so that a storm can be asked for again: DESKMATES_SEED=… */
export interface Random {
  readonly seed: number
  /** At least 0, less than 1. */
  next(): number
  /** A whole number of at least 0, less than `end`. */
  below(end: number): number
  pick<T>(items: readonly T[]): T
}

export function createRandom(seed = seedOfThisRun()): Random {
  let state = seed >>> 0
  const random: Random = {
    seed,
    next() {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
    },
    below: (end) => Math.floor(random.next() * end),
    pick: (items) => items[random.below(items.length)]!,
  }
  return random
}

function seedOfThisRun(): number {
  return Number(process.env.DESKMATES_SEED ?? Math.floor(Math.random() * 1_000_000))
}
