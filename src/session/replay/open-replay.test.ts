import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../journal/log/store.ts'
import { createRedactor } from '../../redaction/redactor.ts'
import { openFileStore } from '../../stores/files/store.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import { assistantTurn, playedSession, userTurn } from '../../testing/harnesses/replay-harness.ts'
import { openReplay, type Replay, type ReplayOptions } from './open-replay.ts'

const open = (store: Store, team = 'web', options: Partial<ReplayOptions> = {}) =>
  openReplay(store, team, { redactor: createRedactor({}), ...options })

/** Each line in a word: the events of a record, or the text of a turn. */
async function words(replay: Replay): Promise<string[]> {
  const all: string[] = []
  for (let batch = await replay.read(0); batch.length > 0; batch = await replay.read(all.length))
    for (const { line } of batch) {
      if (line.type === 'deskmates/record') all.push(line.events.map(({ type }) => type).join(','))
      else if (line.type === 'user' || line.type === 'assistant')
        all.push(`${line.agent}: ${(line.message.content[0] as { text: string }).text}`)
    }
  return all
}

it('plays a turn behind the mail it read and before its delivery, though clocks differ by minutes', async () => {
  await using store = await openMemoryStore()
  const { team, clock, idAt, transcript } = await playedSession(store)
  await clock.advance(10)
  await team.run({ type: 'member.join', name: 'ci', role: 'tester' })
  const sent = await team.send({ to: 'lead', content: 'red' }, { by: { name: 'ci' } })
  const [{ id: mail }] = sent as unknown as [{ id: string }]
  // The machine of the lead is two minutes behind; that of the other record as many ahead.
  const turn = idAt(-120)
  await transcript('lead', userTurn(turn, 'ci says red', [mail]), assistantTurn(idAt(-119), 'I see.'))
  const journal = await store.log('web/journal')
  await (
    await journal.append([
      {
        ...{ id: 'late', at: clock.now() - 240, by: { name: 'lead', generation: 0 } },
        events: [{ type: 'message.delivered', member: 'lead', ids: [mail], take: null, turn }],
      },
    ])
  ).durable
  const order = await words(await open(store))
  const interesting = order.filter((word) => /message|lead:/.test(word))
  expect(interesting.slice(-4)).toEqual([
    'message.sent',
    'lead: ci says red',
    expect.stringMatching(/message.delivered|lead: I see/),
    expect.stringMatching(/message.delivered|lead: I see/),
  ])
})

it('plays the journals and transcripts of every team that the session leads, by the name of any of them', async () => {
  await using store = await openMemoryStore()
  const { team, transcript, idAt } = await playedSession(store)
  const led = await playedSession(store, 'graphql', { session: 'web' })
  const journal = await store.log('web/journal')
  await (
    await journal.append([{ id: 'led', at: 0, by: { name: 'lead' }, events: [{ type: 'team.led', team: 'graphql' }] }])
  ).durable
  await led.team.run({ type: 'task.add', tasks: [{ subject: 'Schema' }] })
  await transcript('lead', userTurn(idAt(), 'Begin.'))
  const replay = await open(store, 'graphql')
  expect(replay.session).toBe('web')
  expect(await words(await open(store, 'web'))).toEqual(await words(replay))
  expect(await words(replay)).toEqual(expect.arrayContaining(['team.led', 'lead: Begin.', 'task.created']))
  await team.close()
})

it('leaves out what is written after it was opened', async () => {
  await using store = await openMemoryStore()
  const { team, transcript, idAt } = await playedSession(store)
  await transcript('lead', userTurn(idAt(), 'Begin.'))
  for (let i = 0; i < 600; i++) await team.send({ to: 'lead', content: `message ${i}` })
  // Nothing stays in memory, so that every read is a new one of all logs.
  const replay = await open(store, 'web', { maxKeptChars: 0 })
  const { count } = replay
  await team.run({ type: 'task.add', tasks: [{ subject: 'Late' }] })
  await transcript('lead', userTurn(idAt(5), 'Late.'))
  const order = await words(replay)
  expect(order).toHaveLength(count)
  expect(order).not.toContain('lead: Late.')
  expect(order).not.toContain('task.created')
})

it('gives the same lines and places when they did not stay in memory', async () => {
  await using store = await openMemoryStore()
  const { team, clock } = await playedSession(store)
  for (let i = 0; i < 1200; i++) await team.send({ to: 'lead', content: `message ${i}` })
  await clock.advance(1)
  const [kept, read] = [await open(store), await open(store, 'web', { maxKeptChars: 0 })]
  expect(read.count).toBe(kept.count)
  for (const step of [0, 499, 500, 777, 1100, 3]) expect(await read.read(step)).toEqual(await kept.read(step))
  const [line] = await kept.read(700)
  const id = line?.line.type === 'deskmates/record' ? line.line.id : ''
  expect(await read.stepOf(id)).toBe(701)
  expect(await read.stepOf('nothing')).toBeUndefined()
  expect(await read.read(read.count)).toEqual([])
})

it('plays what is readable of a damaged journal and says what is not', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'dm-replay-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  await using store = await openFileStore({ dir })
  const { team } = await playedSession(store)
  await team.run({ type: 'task.add', tasks: [{ subject: 'First' }] })
  await team.send({ to: 'lead', content: 'damaged soon' })
  await team.send({ to: 'lead', content: 'still there' })
  await team.close()
  const path = join(dir, '.teams/web/journal.jsonl')
  writeFileSync(path, readFileSync(path, 'utf8').replace('damaged soon', 'damaged s00n'))
  const replay = await open(store)
  expect(replay.faults).toMatchObject([{ kind: 'damaged', path }])
  const order = await words(replay)
  expect(order).toContain('task.created')
  expect(order.filter((word) => word === 'message.sent')).toHaveLength(1)
})

it('shows no secret and no sign that acts on a terminal', async () => {
  await using store = await openMemoryStore()
  const { transcript, idAt } = await playedSession(store)
  await transcript('lead', userTurn(idAt(1), 'key hunter2-hunter2-hunter2 \u001b[2J end'))
  const replay = await open(store, 'web', { redactor: createRedactor({ MY_API_KEY: 'hunter2-hunter2-hunter2' }) })
  const [last] = (await words(replay)).slice(-1)
  expect(last).toMatch(/^lead: key /)
  expect(last).not.toContain('hunter2')
  expect(last).not.toContain('\u001b')
})
