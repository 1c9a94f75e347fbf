import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Disk, realDisk } from '../disk.ts'
import { openFileStore } from '../store.ts'

const folder = mkdtempSync(join(tmpdir(), 'deskmates-sync-order-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function openLog(fdatasync: Disk['fdatasync']) {
  const dir = mkdtempSync(join(folder, 'place-'))
  return (await openFileStore({ dir, durability: 'power', disk: { ...realDisk, fdatasync } })).log('web/journal')
}

describe('the acknowledgement of a write', () => {
  it('of one write says nothing about a later one: a sync of the log then syncs again', async () => {
    const gates: (() => void)[] = []
    const fdatasync = () => new Promise<void>((resolve) => gates.push(resolve))
    const log = await openLog(fdatasync)
    const { durable } = await log.append([{ id: 'made', after: '' }])
    await new Promise(setImmediate)
    // Written while the sync of the first one runs in its thread.
    await log.append([{ id: 'later' }])
    gates[0]!()
    await durable
    let isSynced = false
    const synced = log.sync().then(() => {
      isSynced = true
    })
    for (let i = 0; i < 5; i++) await new Promise(setImmediate)
    expect([gates.length, isSynced]).toEqual([2, false])
    gates[1]!()
    await synced
    await log.sync()
    expect(gates).toHaveLength(2)
  }) // F2

  it('is missing for what was written while a sync ran that failed: no later sync of the file is trusted', async () => {
    const syncs: { fail(error: Error): void }[] = []
    const fdatasync = () =>
      syncs.length > 0 ? Promise.resolve() : new Promise<void>((_, fail) => void syncs.push({ fail }))
    const log = await openLog(fdatasync)
    const made = await log.append([{ id: 'made', after: '' }])
    const first = expect(made.durable).rejects.toMatchObject({ code: 'outcome_unknown' })
    await new Promise(setImmediate)
    const later = await log.append([{ id: 'later' }])
    const second = expect(later.durable).rejects.toMatchObject({ code: 'outcome_unknown' })
    syncs[0]!.fail(new Error('EIO'))
    await first
    await second
    await expect(log.sync()).rejects.toMatchObject({ code: 'journal_read_only' })
  }) // F2
})
