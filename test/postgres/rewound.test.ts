import { describe, expect, it, onTestFinished } from 'vitest'
import type { JournalLoss } from '../../src/journal/fold/rewound.ts'
import type { Log, Store } from '../../src/journal/log/store.ts'
import { openTeam, type TeamHandle } from '../../src/journal/team-handle.ts'
import { openPostgresStore } from '../../src/stores/postgres/store.ts'
import { dumpState } from '../../src/team/fold/snapshot.ts'
import { unreadOf } from '../../src/team/state.ts'
import { askOnce, useDatabase } from './database.ts'
import { loseEnd } from './lose-end.ts'
import { caughtUp, holdHead, waitingForLock } from './waits.ts'

const database = useDatabase()

describe('when a journal has lost its end', () => {
  it('every process reports it, names the acknowledged records that are missing, and continues', async () => {
    const { url, schema } = database.place()
    await using opened = await openWithAda(url)
    const { team, warned, rewinds } = opened
    await add(team, 'kept')
    const { seq } = team.cursor
    await team.run({ type: 'task.add', tasks: [{ subject: 'lost' }] }, { commandId: 'lost-task' })
    await team.send({ to: 'ada', content: 'lost' }, { commandId: 'lost-mail' })
    await loseEnd(database, schema, seq)

    await team.refresh()
    expect(rewinds).toMatchObject([
      {
        records: 2,
        lost: [
          { id: 'lost-task', what: 'task.add' },
          { id: 'lost-mail', what: 'message to ada' },
        ],
      },
    ])
    expect(warned).toEqual([expect.stringMatching(/web lost its end.*: lost-task \(task\.add\), lost-mail \(message/)])
    expect(dumpState(team.state)).toEqual(await foldedAnew(url))

    expect(await add(team, 'next')).toMatchObject({ tasks: [{ id: '2', subject: 'next' }] })
    expect(dumpState(team.state)).toEqual(await foldedAnew(url))
    expect(rewinds).toHaveLength(1)
  }) // F1, F22

  it('records that others wrote instead count, and every handle sees them once', async () => {
    const { url, schema } = database.place()
    await using opened = await openWithAda(url)
    await using second = await openWithAda(url, opened.store)
    await using other = await openWithAda(url)
    const { seq } = other.team.cursor
    for (const subject of ['lost 1', 'lost 2', 'lost 3']) await add(opened.team, subject)
    for (const { team } of [opened, second]) await team.refresh()
    await loseEnd(database, schema, seq)
    for (const subject of ['new 1', 'new 2', 'new 3', 'new 4']) await add(other.team, subject)
    expect(other.rewinds).toEqual([])

    for (const { team, rewinds, seen } of [opened, second]) {
      seen.length = 0
      await team.refresh()
      expect(dumpState(team.state)).toEqual(dumpState(other.team.state))
      expect(seen).toEqual(['new 1', 'new 2', 'new 3', 'new 4'])
      expect(rewinds).toMatchObject([{ records: 3 }])
    }
    expect(opened.rewinds[0]?.lost).toHaveLength(3)
    expect(second.rewinds[0]?.lost).toEqual([])
    await add(second.team, 'together')
    await opened.team.refresh()
    expect(opened.seen.at(-1)).toBe('together')
  }) // F1, F22

  it('a pending decision is made on the present state, under its own id', async () => {
    const { url, schema } = database.place()
    await using opened = await openWithAda(url)
    await add(opened.team, 'first')
    const { seq } = opened.team.cursor
    await add(opened.team, 'lost')
    await using late = await openWithAda(
      url,
      before(await openPostgresStore({ url, warn() {} }), () => cut(seq)),
    )
    const claim = await late.team.run({ type: 'task.claim' }, { by: { name: 'ada' }, commandId: 'claim' })
    expect(claim).toMatchObject({ tasks: [{ id: '1', owner: 'ada' }] })
    expect(late.rewinds).toHaveLength(1)
    expect(await times(schema, 'claim')).toBe(1)
    expect(dumpState(late.team.state)).toEqual(await foldedAnew(url))

    function cut(seq: number) {
      return loseEnd(database, schema, seq)
    }
  }) // B58, F1

  it('an accepted command without an answer is carried out again, with its messages', async () => {
    const { url, schema } = database.place()
    await using opened = await openWithAda(url)
    const { seq } = opened.team.cursor
    await using late = await openWithAda(
      url,
      after(await openPostgresStore({ url, warn() {} }), seq, () => loseEnd(database, schema, seq)),
    )
    const done = await Promise.all([
      add(late.team, 'one'),
      late.team.send({ to: 'ada', content: 'two' }),
      late.team.send({ to: 'ada', content: 'three' }),
      late.team.run({ type: 'task.claim' }, { by: { name: 'ada' }, commandId: 'claim' }),
    ])
    expect(done).toMatchObject([
      { tasks: [{ id: '1', subject: 'one' }] },
      [{ to: 'ada', outcome: 'queued' }],
      [{ to: 'ada', outcome: 'queued' }],
      { tasks: [{ id: '1', owner: 'ada' }] },
    ])
    // It was not acknowledged, so no acknowledged record is missing.
    expect(late.rewinds).toMatchObject([{ lost: [] }])
    expect(unreadOf(late.team.state, 'ada').map(({ message }) => message.content)).toEqual(['two', 'three'])
    expect(await times(schema, 'claim')).toBe(1)
    expect(dumpState(late.team.state)).toEqual(await foldedAnew(url))
  }) // B58, F1

  it('an agent that another process runs now does nothing more', async () => {
    const { url, schema } = database.place()
    await using opened = await openWithAda(url)
    const { seq } = opened.team.cursor
    await takeOver(opened)
    await loseEnd(database, schema, seq)
    await using other = await openWithAda(url)
    await takeOver(other)
    await add(other.team, 'work')
    const by = { name: 'bob', generation: 1, epoch: 1 }
    await expect(opened.team.run({ type: 'task.claim' }, { by })).rejects.toMatchObject({ code: 'place_lost' })
    const idle = { type: 'member.activity', name: 'bob', generation: 1, status: 'idle' } as const
    await expect(opened.team.report([idle], { by })).rejects.toMatchObject({ code: 'place_lost' })
    expect(await other.team.run({ type: 'task.claim' }, { by })).toMatchObject({ tasks: [{ owner: 'bob' }] })
    expect(await opened.team.run({ type: 'task.add', tasks: [{ subject: 'by the user' }] })).toMatchObject({
      tasks: [{ id: '2' }],
    })

    async function takeOver({ team, store }: OpenTeam) {
      const runtime = store.presence.self
      await team.run({ type: 'supervise', runtime })
      await team.run({ type: 'member.spawn', name: 'bob', role: 'dev', runtime })
    }
  }) // F33

  it('a process stops when its team was removed or replaced', async () => {
    const { url, schema } = database.place()
    await using opened = await openWithAda(url)
    await using removed = await openWithAda(url)
    await loseEnd(database, schema, 0)
    await using other = await openWithAda(url)
    await expect(opened.team.refresh()).rejects.toMatchObject({
      code: 'journal_replaced',
      message: expect.stringContaining('another team'),
    })
    await expect(add(opened.team, 'late')).rejects.toMatchObject({ code: 'journal_replaced' })
    await other.store.remove('web', false)
    await expect(other.team.refresh()).rejects.toMatchObject({ code: 'journal_replaced' })
    await expect(add(removed.team, 'late')).rejects.toMatchObject({ code: 'journal_replaced' })
    expect([...opened.rewinds, ...other.rewinds, ...removed.rewinds]).toEqual([])
  })
})

describe('when a standby that was behind takes over', () => {
  it('every process continues on its records, and commands with unknown outcome get an answer', async () => {
    const { url, schema } = database.place()
    const standby = await database.server.standby()
    onTestFinished(() => standby.stop())
    const both = url.replace(/127\.0\.0\.1:\d+/, (first) => `${first},127.0.0.1:${standby.port}`)
    await using opened = await openWithAda(both)
    const hasty = await openPostgresStore({ url: both, timeouts: { server: 300 }, warn() {} })
    await using doubter = await openWithAda(both, hasty)
    await add(opened.team, 'kept')
    await caughtUp(database)
    await standby.kill()
    await opened.team.run({ type: 'task.add', tasks: [{ subject: 'lost' }] }, { commandId: 'lost' })
    await doubter.team.refresh()
    await holdHead(database, schema)
    const doubtful = () => doubter.team.run({ type: 'task.add', tasks: [{ subject: 'sure' }] }, { commandId: 'doubt' })
    const first = doubtful()
    await waitingForLock(database, 1)
    await database.server.kill()
    await expect(first).rejects.toMatchObject({ code: 'outcome_unknown' })
    await standby.start()
    await standby.promote()

    expect(await doubtful()).toMatchObject({ tasks: [{ id: '2', subject: 'sure' }] })
    expect(await add(opened.team, 'next')).toMatchObject({ tasks: [{ id: '3' }] })
    expect(opened.rewinds).toMatchObject([{ records: 1, lost: [{ id: 'lost', what: 'task.add' }] }])
    expect(doubter.rewinds).toMatchObject([{ records: 1, lost: [] }])
    await doubter.team.refresh()
    const there = await foldedAnew(both)
    for (const { team } of [opened, doubter]) expect(dumpState(team.state)).toEqual(there)
    expect(await askOnce(standby.url, `select id from ${schema}.records where id in ('lost', 'doubt')`)).toEqual([
      { id: 'doubt' },
    ])
    await hasty[Symbol.asyncDispose]()
    await database.server.start()
  }) // B58, F1, F22
})

interface OpenTeam extends AsyncDisposable {
  readonly store: Store
  readonly team: TeamHandle
  readonly warned: readonly string[]
  readonly rewinds: readonly JournalLoss[]
  /** Subjects of the tasks that were added, as a watcher receives them. */
  readonly seen: string[]
}

/** A team with the member ada, created by the first caller. */
async function openWithAda(url: string, given?: Store): Promise<OpenTeam> {
  const warned: string[] = []
  const store = given ?? (await openPostgresStore({ url, warn: (message) => warned.push(message) }))
  const rewinds: JournalLoss[] = []
  const seen: string[] = []
  const team = await openTeam(store, 'web', { onRewound: (loss) => rewinds.push(loss) })
  await team.refresh()
  if (!team.state.team.get()) {
    await team.run({ type: 'team.create', team: 'web' })
    await team.run({ type: 'member.join', name: 'ada', role: 'dev' })
  }
  team.watch(({ events }) => {
    for (const event of events) if (event.type === 'task.created') seen.push(event.subject)
  })
  return {
    store,
    team,
    warned,
    rewinds,
    seen,
    [Symbol.asyncDispose]: () => (given ? team : store)[Symbol.asyncDispose](),
  }
}

function add(team: TeamHandle, subject: string) {
  return team.run({ type: 'task.add', tasks: [{ subject }] })
}

async function foldedAnew(url: string) {
  await using store = await openPostgresStore({ url })
  await using team = await openTeam(store, 'web')
  await team.refresh()
  return dumpState(team.state)
}

async function times(schema: string, id: string): Promise<number> {
  return (await database.sql(`select from ${schema}.records where id = '${id}'`)).length
}

/** A store to whose first appending something happens right before it is sent. */
function before(store: Store, happen: () => Promise<void>): Store {
  return withAppend(store, async (log, records) => {
    await happen()
    return log.append(records)
  })
}

/** The same right behind its being accepted as what follows `seq`, before it was read back. */
function after(store: Store, seq: number, happen: () => Promise<void>): Store {
  return withAppend(store, async (log, records) => {
    const appended = await log.append(records)
    await happen()
    // Another handle of this process reads, so the fault is known.
    const end = { seq: seq + records.length, id: records.at(-1)!.id, last: '' }
    await expect(log.read(end)).rejects.toMatchObject({ code: 'journal_replaced' })
    return appended
  })
}

type Append = (log: Log, records: Parameters<Log['append']>[0]) => ReturnType<Log['append']>

function withAppend(store: Store, first: Append): Store {
  let isDue = true
  return {
    ...store,
    async log(name, options) {
      const log = await store.log(name, options)
      return {
        ...log,
        append(records) {
          if (!isDue) return log.append(records)
          isDue = false
          return first(log, records)
        },
      }
    },
  }
}
