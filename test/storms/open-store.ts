import type { Store } from '../../src/journal/log/store.ts'
import { realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { openViews } from '../../src/stores/files/views/views.ts'

/** Milliseconds after which a process in a database that says nothing counts as dead: short, since many are killed. */
const LEASE = 1000

/** Opens whatever a worker is told, so that one storm runs on all stores. Views exist on files only. */
export async function openStore(
  place: string,
  { durability, views: hasViews = false }: { durability?: 'power' | 'process'; views?: boolean } = {},
): Promise<Store> {
  const warn = (message: string) => void process.stderr.write(`${message}\n`)
  if (isLeased(place)) {
    const { openPostgresStore } = await import('../../src/stores/postgres/store.ts')
    return openPostgresStore({ url: place, lease: LEASE, warn })
  }
  const views = (team: string) => openViews({ dir: place, team, disk: realDisk, warn })
  return openFileStore({ dir: place, durability, warn, ...(hasViews && { views }) })
}

/** Is it a lease that says who lives, so that a death is noticed later and a long sleep is taken for one? */
export function isLeased(place: string): boolean {
  return place.startsWith('postgres://')
}
