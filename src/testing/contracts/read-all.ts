import { advance, type Cursor, START } from '../../journal/log/cursor.ts'
import type { Log, Recorded, Store } from '../../journal/log/store.ts'

/** Opens one more handle on the same data. `knows` lists the features this handle understands. */
export type OpenStore = (options?: { readonly knows?: readonly string[] }) => Promise<Store>

export async function readAll(log: Log, from: Cursor = START): Promise<readonly Recorded[]> {
  const all: Recorded[] = []
  for (let at = from; ; ) {
    const batch = await log.read(at)
    if (batch.length === 0) return all
    all.push(...batch)
    at = batch.reduce(advance, at)
  }
}

export function idsOf(records: readonly Recorded[]): string[] {
  return records.map(({ record }) => record.id)
}
