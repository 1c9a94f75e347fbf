import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { advance, START } from '../../../journal/log/cursor.ts'
import type { Log } from '../../../journal/log/store.ts'
import { TeamError } from '../../../team/errors.ts'
import { idsOf, readAll } from '../../../testing/contracts/read-all.ts'
import { type DiskPlan, type FaultKind, recordingDisk } from '../../../testing/faulty-disk.ts'
import { realDisk } from '../disk.ts'
import { openFileStore } from '../store.ts'

const folder = mkdtempSync(join(tmpdir(), 'deskmates-faults-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What the store reported to a process before its disk failed or it was killed. */
interface Outcomes {
  readonly acknowledged: string[]
  readonly notWritten: string[]
  readonly unknown: string[]
  readonly calls: readonly string[]
}

// What was written is in the page cache either way, and a thousand syncs take longer than all else here.
/** Makes a team, decides and sends, keeps a snapshot, reads it again, goes on; on a disk that does as planned. */
async function live(dir: string, plan: DiskPlan): Promise<Outcomes> {
  const disk = recordingDisk(plan, { ...realDisk, fdatasync: async () => {}, fsync: async () => {} })
  const reported: Outcomes = { acknowledged: [], notWritten: [], unknown: [], calls: disk.calls }
  const store = await openFileStore({ dir, disk, warn: () => {} })

  async function write(log: Log, ids: readonly string[], decides: boolean): Promise<void> {
    try {
      const { last } = (await readAll(log)).reduce(advance, START)
      const records = ids.map((id, at) => (decides ? { id, after: at === 0 ? last : ids[at - 1]! } : { id }))
      const { outcomes, durable } = await log.append(records)
      await durable
      for (const [at, outcome] of outcomes.entries()) if (outcome !== 'conflict') reported.acknowledged.push(ids[at]!)
    } catch (error) {
      const isUnknown = error instanceof TeamError && error.code === 'outcome_unknown'
      reported[isUnknown ? 'unknown' : 'notWritten'].push(...ids)
    }
  }

  const log = await store.log('web/journal')
  await write(log, ['made'], true)
  await write(log, ['mail', 'more mail'], false)
  await write(log, ['claim', 'done'], true)
  const state = await readAll(log).catch(() => [])
  if (state.length > 0) await log.save(1, state.reduce(advance, START), () => ({ count: state.length }))
  const again = await store.log('web/journal')
  await again.restore(1).catch(() => undefined)
  await write(again, ['late'], true)
  await log.close().catch(() => {})
  await again.close().catch(() => {})
  return reported
}

/** Every answer that a process got is true, and the next process can work. */
async function expectTruth(dir: string, { acknowledged, notWritten, unknown }: Outcomes, where: string): Promise<void> {
  const warnings: string[] = []
  await using store = await openFileStore({ dir, durability: 'process', warn: (message) => warnings.push(message) })
  const log = await store.log('web/journal')
  const there = idsOf(await readAll(log))
  expect(
    there.filter((id) => acknowledged.includes(id)),
    where,
  ).toEqual(acknowledged)
  expect(
    there.filter((id) => notWritten.includes(id)),
    where,
  ).toEqual([])
  expect(
    log.faults().filter(({ kind }) => kind !== 'torn'),
    where,
  ).toEqual([])
  // A process with an unknown outcome repeats the same ids and gets the one answer.
  for (const id of unknown) await log.append([{ id }])
  expect(idsOf(await readAll(log)).toSorted(), where).toEqual([...new Set([...there, ...unknown])].toSorted())
  const { last } = (await readAll(log)).reduce(advance, START)
  expect((await log.append([{ id: 'next', after: last }])).outcomes, where).toEqual(['accepted'])

  const kept = await (await store.log('web/journal')).restore(1)
  if (kept) expect(kept.state, where).toEqual({ count: there.indexOf(kept.cursor.id) + 1 })
  expect(warnings, where).toEqual([])
}

describe('a log on a failing disk', async () => {
  const whole = await live(mkdtempSync(join(folder, 'whole-')), {})

  it('works without a fault', () => {
    expect(whole.acknowledged).toEqual(['made', 'mail', 'more mail', 'claim', 'done', 'late'])
    expect(whole.calls.filter((call) => call === 'writeSync')).toHaveLength(6)
  })

  it('loses nothing acknowledged when the process dies after any call', async () => {
    for (let crashAfter = 0; crashAfter < whole.calls.length; crashAfter++) {
      const dir = mkdtempSync(join(folder, 'crash-'))
      const reported = await live(dir, { crashAfter })
      // A killed process gets no report, so a missing report proves nothing.
      await expectTruth(dir, { ...reported, notWritten: [], unknown: [] }, `dead after ${crashAfter} calls`)
    }
  }) // F1, F2, F38

  it.each<FaultKind>(['short write', 'ENOSPC', 'EACCES', 'EIO before', 'EIO after'])(
    'may answer %s to any call: what it says is true, and the next one works',
    async (how) => {
      for (const [at, call] of whole.calls.entries()) {
        if (how === 'short write' && call !== 'writeSync') continue
        const dir = mkdtempSync(join(folder, 'fault-'))
        await expectTruth(dir, await live(dir, { fail: { at, how } }), `${how} at call ${at}, ${call}`)
      }
    },
  )
})
