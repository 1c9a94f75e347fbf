import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Log, Store } from '../../src/journal/log/store.ts'
import { openTeam, type TeamHandle } from '../../src/journal/team-handle.ts'
import { type Disk, realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'deskmates-after-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const as = (name: string, commandId?: string) => ({ by: { name }, commandId })
const open = (disk: Disk = realDisk) => openFileStore({ dir, disk })

async function found(store: Store, ...members: string[]): Promise<TeamHandle> {
  const team = await openTeam(store, 'web')
  await team.run({ type: 'team.create', team: 'web' })
  for (const name of members) await team.run({ type: 'member.join', name, role: 'dev' })
  return team
}

describe('a batch of chained decisions that loses a race', () => {
  it('never writes a batch with a gap, which readers would take for a loss', async () => {
    await using store = await open()
    const log = await store.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    const { outcomes } = await log.append([
      { id: 'first', after: 'made', tries: 3 },
      { id: 'second', after: 'first' },
      { id: 'third', after: 'second', tries: 3 },
    ])
    expect(outcomes).toEqual(['accepted', 'accepted', 'accepted'])
    const late = await log.append([
      { id: 'late', after: 'made' },
      { id: 'later', after: 'late', tries: 3 },
    ])
    expect(late.outcomes).toEqual(['conflict', 'conflict'])
    await using other = await open()
    const reader = await other.log('web/journal')
    await reader.read({ seq: 0, id: '', last: '' })
    expect(reader.faults()).toEqual([])
  })

  it('decides a batch again, with the answers that depend on it, until all of it is accepted', async () => {
    await using store = await open()
    await using other = await found(store, 'ada', 'bob', 'carol')
    await other.run({ type: 'task.add', tasks: [{ subject: 'one' }] })
    let rounds = 0
    const overtaken: Store = {
      ...store,
      async log(name) {
        const log: Log = await store.log(name)
        return {
          ...log,
          async append(records) {
            const role = rounds < 2 ? 'qa' : undefined
            if (rounds++ < 3) await other.run({ type: 'task.add', tasks: [{ subject: `more ${rounds}`, role }] })
            return log.append(records)
          },
        }
      },
    }
    await using web = await openTeam(overtaken, 'web')
    const [ada, bob, carol] = await Promise.all([
      web.run({ type: 'task.claim' }, as('ada')),
      web.run({ type: 'task.claim' }, as('bob')),
      web.run({ type: 'task.add', tasks: [{ subject: 'x' }] }, as('carol')),
    ])
    expect([ada, bob, carol]).toMatchObject([
      { tasks: [{ id: '1' }] },
      { tasks: [{ id: '4' }] },
      { tasks: [{ id: '5' }] },
    ])
    await using fresh = await openTeam(await open(), 'web')
    await fresh.refresh()
    expect(fresh.log.faults()).toEqual([])
  }) // F7
})

describe('after a failed sync', () => {
  it('acknowledges no repeated command after a sync has failed', async () => {
    let fail = false
    const disk = { ...realDisk, fdatasync: async () => (fail ? once() : undefined) }
    const once = () => {
      fail = false
      throw Object.assign(new Error('EIO'), { code: 'EIO' })
    }
    await using store = await open(disk)
    const web = await found(store, 'ada')
    await web.run({ type: 'task.add', tasks: [{ subject: 'one' }] })
    fail = true
    const claim = (commandId?: string) => web.run({ type: 'task.claim', id: '1' }, as('ada', commandId))
    await expect(claim('c1')).rejects.toMatchObject({ code: 'outcome_unknown' })
    await expect(claim('c1')).rejects.toMatchObject({ code: 'journal_read_only' })
    await expect(claim()).rejects.toMatchObject({ code: 'journal_read_only' })
  }) // F2

  it('acknowledges no write that waited for the sync that failed', async () => {
    let gate: Promise<void> | undefined
    const disk = {
      ...realDisk,
      async fdatasync() {
        const waiting = gate
        gate = undefined
        if (waiting) await waiting.then(() => Promise.reject(new Error('EIO')))
      },
    }
    await using store = await open(disk)
    const log = await store.log('web/journal')
    await (await log.append([{ id: 'made', after: '' }])).durable
    let release = () => {}
    gate = new Promise((resolve) => {
      release = resolve
    })
    const a = await log.append([{ id: 'a', after: 'made' }])
    const b = await log.append([{ id: 'b', after: 'a' }])
    release()
    const settled = await Promise.allSettled([a.durable, b.durable])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

describe('a repeated command id', () => {
  it('answers a repeated command id as the first time, also in a long journal', async () => {
    await using store = await open()
    await using web = await found(store, 'ada', 'bob')
    await web.run({ type: 'task.add', tasks: [{ subject: 'one' }, { subject: 'two' }] })
    const claims = () => [
      web.run({ type: 'task.claim', id: '1' }, as('ada', 'a1')),
      web.run({ type: 'task.claim', id: '2' }, as('bob', 'b1')),
    ]
    const [a1] = await Promise.all([claims()[0]])
    for (let i = 0; i < 20; i++) await web.send({ to: 'ada', content: 'x'.repeat(100_000) }, as('bob'))
    const [, b1] = await Promise.all(claims())
    await web.run({ type: 'task.complete', id: '2' }, as('bob'))
    expect(await Promise.all(claims())).toEqual([a1, b1])
  })

  it('runs a command for the second caller when it failed for the first', async () => {
    let fail = false
    const disk: Disk = {
      ...realDisk,
      writeSync(fd, bytes) {
        if (!fail) return realDisk.writeSync(fd, bytes)
        fail = false
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      },
    }
    await using store = await open(disk)
    await using web = await found(store)
    fail = true
    const add = () => web.run({ type: 'task.add', tasks: [{ subject: 'one' }] }, { commandId: 'k' })
    const [first, second] = await Promise.allSettled([add(), add()])
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'not_written' } })
    expect(second).toMatchObject({ status: 'fulfilled', value: { tasks: [{ id: '1' }] } })
  })
})

describe('many messages of one tick', () => {
  it('spreads large messages over records that every reader can read', async () => {
    await using store = await open()
    await using web = await found(store, 'ada')
    const blob = 'x'.repeat(900_000)
    const large = Array.from({ length: 20 }, () => web.send({ to: 'lead', content: 'see', extra: { blob } }, as('ada')))
    const small = Array.from({ length: 2_000 }, () => web.send({ to: 'lead', content: 'x' }, as('ada')))
    const outcomes = (await Promise.all([...large, ...small])).flat()
    expect(outcomes).toHaveLength(2_020)
    expect(outcomes.every((effect) => 'outcome' in effect && effect.outcome === 'queued')).toBe(true)
  }) // F15
})
