/** A record stays far below the 16 MB a line may have. */
const RECORD_BYTES = 4 * 1024 * 1024

/** Splits what is to be recorded into parts that fit into one record each; an item is never cut. */
export function* recordBatches<T>(items: readonly T[]): Generator<readonly T[]> {
  let batch: T[] = []
  let bytes = 0
  for (const item of items) {
    const size = JSON.stringify(item).length
    if (batch.length > 0 && bytes + size > RECORD_BYTES) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
