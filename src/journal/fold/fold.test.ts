import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { openFileStore } from '../../stores/files/store.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import { FOLD_VERSION } from '../../team/state.ts'
import type { Store } from '../log/store.ts'
import { openFold } from './fold.ts'

const dir = mkdtempSync(join(tmpdir(), 'deskmates-fold-'))
afterAll(() => rmSync(dir, { recursive: true }))

const stores: [name: string, open: () => Promise<Store>][] = [
  ['in memory', () => openMemoryStore()],
  ['in files', () => openFileStore({ dir, durability: 'process' })],
]

describe.for(stores)('a fold %s', ([, open]) => {
  it('writes a snapshot after many records, after few long ones, and not after few short ones', async () => {
    await using store = await open()
    const isKept = async (team: string, records: readonly { id: string; text?: string }[]) => {
      const log = await store.log(`${team}/journal`)
      await log.append(records)
      const fold = await openFold(log, 'here')
      await fold.toEnd(() => {})
      const next = await store.log(`${team}/journal`)
      const snapshot = await next.restore(FOLD_VERSION)
      for (const each of [log, next]) await each.close()
      return snapshot !== undefined
    }
    const records = (count: number, text: string) => Array.from({ length: count }, (_, i) => ({ id: `r${i}`, text }))
    expect(await isKept('few', records(4000, 'x'.repeat(20)))).toBe(false)
    expect(await isKept('many', records(10_000, ''))).toBe(true)
    expect(await isKept('long', records(3, 'x'.repeat(1024 * 1024)))).toBe(true)
  })

  it('needs twice as many bytes for each further snapshot, since a snapshot holds the whole state', async () => {
    await using store = await open()
    const log = await store.log('growing/journal')
    const fold = await openFold(log, 'here')
    const save = vi.spyOn(log, 'save')
    for (let megabytes = 1; megabytes <= 15; megabytes++) {
      await log.append([{ id: `r${megabytes}`, text: 'x'.repeat(1024 * 1024) }])
      await fold.toEnd(() => {})
    }
    const saved = save.mock.calls
    expect(saved.length).toBeGreaterThanOrEqual(2)
    expect(saved.length).toBeLessThanOrEqual(4)
    await log.close()
  })

  it('counts records anew after each snapshot', async () => {
    await using store = await open()
    const log = await store.log('counted/journal')
    const fold = await openFold(log, 'here')
    const save = vi.spyOn(log, 'save')
    await log.append(Array.from({ length: 10_000 }, (_, i) => ({ id: `r${i}` })))
    await fold.toEnd(() => {})
    await log.append([{ id: 'one more' }])
    await fold.toEnd(() => {})
    expect(save).toHaveBeenCalledOnce()
    await log.close()
  })

  it('of each process comes to its snapshot at another length of the records', async () => {
    await using store = await open()
    const first = await store.log('spread/journal')
    await first.append([{ id: 'r', text: 'x'.repeat(1.3 * 1024 * 1024) }])
    const snapshots: number[] = []
    for (const self of ['a', 'here']) {
      const log = await store.log('spread/journal')
      const save = vi.spyOn(log, 'save').mockResolvedValue()
      await (await openFold(log, self)).toEnd(() => {})
      snapshots.push(save.mock.calls.length)
      await log.close()
    }
    expect(snapshots).toEqual([1, 0])
    await first.close()
  })
})
