import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Disk } from '../stores/files/disk.ts'
import { openFileStore } from '../stores/files/store.ts'
import { createPlace, openMemoryStore } from '../stores/memory/store.ts'
import { dumpState } from '../team/fold/snapshot.ts'
import { isRefusal } from '../team/refusal.ts'
import { FOLD_VERSION, unreadOf } from '../team/state.ts'
import { recordingDisk } from '../testing/faulty-disk.ts'
import type { Log, Store } from './log/store.ts'
import { openTeam } from './team-handle.ts'

const as = (name: string, commandId?: string) => ({ by: { name }, commandId })

async function team(store?: Store) {
  const opened = await openTeam(store ?? (await openMemoryStore()), 'web')
  await opened.run({ type: 'team.create', team: 'web' })
  for (const name of ['ada', 'bob']) await opened.run({ type: 'member.join', name, role: 'dev' })
  return opened
}

/** A store whose logs behave as `change` says. */
function changed(store: Store, change: (log: Log) => Partial<Log>): Store {
  return {
    ...store,
    async log(name) {
      const log = await store.log(name)
      return { ...log, ...change(log) }
    },
  }
}

describe('a command id', () => {
  it('is one word of safe characters, since mail files use it as a name', async () => {
    await using web = await team()
    for (const commandId of ['', 'a b', 'a\nb', 'x'.repeat(129), '../x', 'é', 'a/b']) {
      expect(await web.run({ type: 'task.add', tasks: [{ subject: 'x' }] }, { commandId })).toMatchObject({
        code: 'invalid',
      })
      expect(await web.send({ to: 'ada', content: 'x' }, { commandId })).toMatchObject({ code: 'invalid' })
    }
    const commandId = `A.b_c:d-9${'x'.repeat(119)}`
    expect(await web.send({ to: 'ada', content: 'x' }, { commandId })).toMatchObject([{ outcome: 'queued' }])
  }) // F13, F15

  it('is refused for a message after a command used it, and the other way round', async () => {
    await using web = await team()
    await web.run({ type: 'task.add', tasks: [{ subject: 'x' }] }, { commandId: 'one' })
    expect(await web.send({ to: 'ada', content: 'x' }, { commandId: 'one' })).toMatchObject({
      code: 'command_id_taken',
    })
    await web.send({ to: 'ada', content: 'x' }, { commandId: 'two' })
    expect(await web.run({ type: 'task.claim' }, as('ada', 'two'))).toMatchObject({
      code: 'command_id_taken',
      details: { usedFor: 'a message' },
    })
  })
})

describe('facts that resolve when they are written', () => {
  it('are in the log when the report resolves, without a sync', async () => {
    let syncs = 0
    const store = changed(await openMemoryStore(), (log) => ({
      async append(records) {
        const { outcomes } = await log.append(records)
        return {
          outcomes,
          get durable() {
            syncs++
            return Promise.resolve()
          },
        }
      },
    }))
    await using web = await team(store)
    await web.send({ to: 'ada', content: 'hello' }, { commandId: 'one' })
    const before = syncs
    await web.acknowledge('ada', ['one'], null, { by: { name: 'ada' }, until: 'written' })
    expect(unreadOf(web.state, 'ada')).toEqual([])
    expect(syncs).toBe(before)
    await web.report([{ type: 'deviation.noted', member: 'ada', task: null, text: 'x' }])
    expect(syncs).toBeGreaterThan(before)
  })

  it('are written with everything of the same turn of the event loop, in order', async () => {
    const writes: string[][] = []
    const store = changed(await openMemoryStore(), (log) => ({
      append(records) {
        writes.push(records.map(({ id }) => id))
        return log.append(records)
      },
    }))
    await using web = await team(store)
    writes.length = 0
    const note = (commandId: string) => web.report([noted], { commandId, until: 'written' })
    const first = note('one')
    await Promise.resolve()
    const others = [note('two'), web.send({ to: 'ada', content: 'x' }, { commandId: 'three' }), note('four')]
    await Promise.all([first, ...others])
    await Promise.all([note('five'), note('six')])
    expect(writes).toEqual([
      ['one', 'two', 'three', 'four'],
      ['five', 'six'],
    ])
  })

  it('are in the log when the team is closed, and reject with the failure of the log', async () => {
    const place = createPlace()
    let isBroken = false
    const store = changed(await openMemoryStore(place), () => ({
      async holdBack() {
        if (isBroken) throw new Error('no log')
      },
    }))
    const web = await team(store)
    isBroken = true
    await expect(web.report([noted], { until: 'written' })).rejects.toThrow('no log')
    isBroken = false
    const written = web.report([noted], { until: 'written' })
    await web.close()
    await written
    await using again = await openTeam(await openMemoryStore(place), 'web')
    await again.refresh()
    expect(again.state.deviations.get()).toHaveLength(1)
  })
})

const noted = { type: 'deviation.noted', member: 'ada', task: null, text: 'x' } as const

describe('events that a model reads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deskmates-synced-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** A team as a process sees it whose disk counts what it syncs, and another process that syncs nothing. */
  async function two() {
    const dir = mkdtempSync(join(folder, 'place-'))
    const open = async (disk: Disk, durability: 'power' | 'process') =>
      openTeam(await openFileStore({ dir, disk, durability }), 'web')
    const disk = recordingDisk()
    const other = await team(await openFileStore({ dir, durability: 'process' }))
    const web = await open(disk, 'power')
    const syncs = () => disk.calls.filter((call) => call === 'fdatasync').length
    const isSynced = async (by = web, count = syncs) => {
      const before = count()
      await by.refresh()
      await by.syncState()
      return count() > before
    }
    return { dir, web, other, isSynced, open }
  }

  it('are durable before a model reads them, whichever process wrote them; others need not be', async () => {
    const { web, other, isSynced } = await two()
    expect(await isSynced()).toBe(true)
    expect(await isSynced()).toBe(false)
    const activity = { type: 'member.activity', name: 'ada', generation: 1, status: 'working' } as const
    const written = { until: 'written' } as const
    for (const { isForModels, write } of [
      { isForModels: false, write: () => other.report([activity], written) },
      { isForModels: true, write: () => other.send({ to: 'ada', content: 'x' }, { commandId: 'one' }) },
      { isForModels: false, write: () => other.acknowledge('ada', ['one'], null, written) },
      { isForModels: true, write: () => other.run({ type: 'task.add', tasks: [{ subject: 'x' }] }) },
      { isForModels: true, write: () => other.run({ type: 'task.claim' }, as('ada')) },
      { isForModels: true, write: () => web.report([activity, noted], written) },
      { isForModels: false, write: () => web.report([activity], written) },
    ]) {
      await write()
      expect(await isSynced()).toBe(isForModels)
      expect(await isSynced()).toBe(false)
    }
    await web.close()
    await other.close()
  })

  it('are durable also when they come from a snapshot', async () => {
    const { web, other, isSynced, open } = await two()
    await other.send({ to: 'ada', content: 'x' })
    await other.log.save(FOLD_VERSION, other.cursor, () => dumpState(other.state))
    const disk = recordingDisk()
    const restored = await open(disk, 'power')
    expect(restored.cursor).toEqual(other.cursor)
    expect(await isSynced(restored, () => disk.calls.filter((call) => call === 'fdatasync').length)).toBe(true)
    for (const each of [restored, web, other]) await each.close()
  })
})

describe('an appender', () => {
  it('writes a command that arrives just when it has finished, however many ticks later', async () => {
    await using web = await team()
    for (let ticks = 0; ticks < 25; ticks++) {
      expect(isRefusal(await web.run({ type: 'task.complete', id: '9' }, as('ada')))).toBe(true)
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      await web.run({ type: 'task.add', tasks: [{ subject: 'x' }] })
    }
    expect(web.state.tasks.size).toBe(25)
  })

  it('writes the steps of one author in one record, and answers each separately', async () => {
    await using web = await team()
    await web.run({ type: 'task.add', tasks: ['one', 'two', 'three'].map((subject) => ({ subject })) })
    await web.run({ type: 'task.claim' }, as('ada'))
    const before = web.cursor.seq
    const [completed, next, others] = await Promise.all([
      web.run({ type: 'task.complete', id: '1', result: 'done' }, as('ada')),
      web.run({ type: 'task.claim' }, as('ada')),
      web.run({ type: 'task.claim' }, as('bob')),
    ])
    expect(completed).toMatchObject({ tasks: [{ id: '1', status: 'completed' }] })
    expect(next).toMatchObject({ tasks: [{ id: '2', owner: 'ada' }] })
    expect(others).toMatchObject({ tasks: [{ id: '3', owner: 'bob' }] })
    // In memory a record is one place: ada's two steps, and bob's.
    expect(web.cursor.seq - before).toBe(2)
  })

  it('writes a step with a command id of its caller in a record of its own', async () => {
    await using web = await team()
    await web.run({ type: 'task.add', tasks: ['one', 'two'].map((subject) => ({ subject })) })
    await web.run({ type: 'task.claim' }, as('ada'))
    await Promise.all([
      web.run({ type: 'task.complete', id: '1' }, as('ada')),
      web.run({ type: 'task.claim' }, as('ada', 'next')),
    ])
    await web.run({ type: 'task.complete', id: '2' }, as('ada'))
    expect(await web.run({ type: 'task.claim' }, as('ada', 'next'))).toMatchObject({ tasks: [{ id: '2' }] })
  })

  it('decides the steps of one record again, together, when another process decided first', async () => {
    const place = createPlace()
    await using other = await team(await openMemoryStore(place))
    await other.run({ type: 'task.add', tasks: ['one', 'two', 'three'].map((subject) => ({ subject })) })
    let intrude = false
    const late = changed(await openMemoryStore(place), (log) => ({
      async append(records) {
        if (intrude) {
          intrude = false
          await other.run({ type: 'task.claim', id: '2' }, as('bob'))
        }
        return log.append(records)
      },
    }))
    await using web = await openTeam(late, 'web')
    await web.run({ type: 'task.claim' }, as('ada'))
    intrude = true
    const [completed, next] = await Promise.all([
      web.run({ type: 'task.complete', id: '1' }, as('ada')),
      web.run({ type: 'task.claim' }, as('ada')),
    ])
    expect(completed).toMatchObject({ tasks: [{ id: '1', status: 'completed' }] })
    expect(next).toMatchObject({ tasks: [{ id: '3', owner: 'ada' }] })
  })

  it('refuses on accepted decisions only, never on one that is not accepted yet', async () => {
    const place = createPlace()
    await using other = await team(await openMemoryStore(place))
    await other.run({ type: 'task.add', tasks: [{ subject: 'one' }] })
    let intrude = false
    const late = changed(await openMemoryStore(place), (log) => ({
      async append(records) {
        if (intrude) {
          intrude = false
          await other.run({ type: 'member.stop', name: 'ada' })
        }
        return log.append(records)
      },
    }))
    await using web = await openTeam(late, 'web')
    await web.refresh()
    intrude = true
    const [ada, bob] = await Promise.all([
      web.run({ type: 'task.claim', id: '1' }, as('ada')),
      web.run({ type: 'task.claim', id: '1' }, as('bob')),
    ])
    expect(ada).toMatchObject({ code: 'member_stopped' })
    expect(bob).toMatchObject({ tasks: [{ owner: 'bob' }] })
  })

  it('rejects pending commands when the log fails, and works again when the failure passes', async () => {
    let broken: keyof Log | undefined
    const failing = (name: keyof Log) => (log: Log) => ({
      [name]: async (...args: never[]) => {
        if (broken === name) throw new Error(`no ${name}`)
        return (log[name] as (...args: never[]) => unknown)(...args)
      },
    })
    for (const name of ['read', 'append', 'holdBack', 'knows'] as const) {
      broken = undefined
      await using web = await team(changed(await openMemoryStore(), failing(name)))
      broken = name
      const add = { type: 'task.add', tasks: [{ subject: 'x' }] } as const
      const asked = await Promise.allSettled([web.run(add, { commandId: 'one' }), web.run(add), web.run(add)])
      broken = undefined
      expect(asked.filter(({ status }) => status === 'rejected').length, name).toBeGreaterThan(0)
      expect(isRefusal(await web.run(add)), name).toBe(false)
    }
  })

  it('lets other processes decide when a round is over, also one that writes nothing', async () => {
    let rounds = 0
    let released = 0
    const store = changed(await openMemoryStore(), () => ({
      async holdBack() {
        rounds++
        return () => void released++
      },
    }))
    await using web = await team(store)
    await web.run({ type: 'task.complete', id: '404' })
    expect([rounds > 0, released]).toEqual([true, rounds])
  })

  it('rejects only callers that wait for the sync when a sync fails', async () => {
    let broken = false
    const store = changed(await openMemoryStore(), (log) => ({
      async append(records) {
        const { outcomes, durable } = await log.append(records)
        await durable
        return { outcomes, durable: broken ? Promise.reject(new Error('no disk')) : durable }
      },
    }))
    await using web = await team(store)
    broken = true
    await expect(web.send({ to: 'ada', content: 'x' })).rejects.toThrow('no disk')
    broken = false
    expect(await web.send({ to: 'ada', content: 'y' })).toMatchObject([{ outcome: 'queued' }])
    expect(unreadOf(web.state, 'ada')).toHaveLength(2)
  })
})

describe('messages of one tick', () => {
  it('share a record if they have one author, and each send resolves with its own effects', async () => {
    await using web = await team()
    const before = web.cursor.seq
    const sends = [
      web.send({ to: 'bob', content: 'one' }, as('ada')),
      web.send({ to: 'unknown', content: 'two' }, as('ada')),
      web.send({ to: 'lead', content: 'three' }, as('ada')),
      web.send({ to: 'bob', content: 'four' }, as('ada', 'chosen')),
      web.send({ to: 'ada', content: 'five' }, as('bob')),
    ]
    const [one, two, three, four, five] = await Promise.all(sends)
    expect(one).toMatchObject([{ to: 'bob', outcome: 'queued' }])
    expect(two).toMatchObject({ code: 'unknown_member' })
    expect(three).toMatchObject([{ to: 'lead', outcome: 'queued' }])
    expect(four).toMatchObject([{ id: 'chosen', to: 'bob', outcome: 'queued' }])
    expect(five).toMatchObject([{ to: 'ada', outcome: 'queued' }])
    expect(unreadOf(web.state, 'bob').map(({ message }) => message.content)).toEqual(['one', 'four'])
    expect(web.cursor.seq - before).toBe(3)
    expect(await web.send({ to: 'bob', content: 'four' }, as('ada', 'chosen'))).toEqual(four)
  })
})
