import { randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'

/** Unique ids that sort by time. Random bytes are fetched in bulk: one call each costs more than folding a record. */
export function createIds(): () => string {
  const pool = Buffer.alloc(1024)
  let used = pool.length
  return monotonicFactory(() => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    return (pool[used++] as number) / 256
  })
}
