import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Views } from '../../../journal/views.ts'
import { UNREAD_CAP } from '../../../team/message.ts'
import { recordingDisk } from '../../../testing/faulty-disk.ts'
import { type TeamHarness, teamHarness } from '../../../testing/harnesses/team-harness.ts'
import { realDisk } from '../disk.ts'
import { openViews } from './views.ts'

let dir: string
let world: TeamHarness
let warnings: string[]
let now: number
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'deskmates-views-'))
  mkdirSync(join(dir, '.teams/web'), { recursive: true })
  world = teamHarness('web')
  world.join('ada')
  warnings = []
  now = Date.now()
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const MINUTE = 60_000
const open = (disk = realDisk) =>
  openViews({ dir, team: 'web', disk, warn: (message) => warnings.push(message), now: () => now })
const cursor = () => ({ seq: world.journal.length * 10, id: '', last: '' })
const show = (views: Views) => views.write(world.state, cursor())
const inbox = (name = 'ada') => join(dir, `.teams/web/inbox/${name}.jsonl`)
const taken = () => {
  const folder = join(dir, '.teams/web/inbox/.taken')
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}
const lines = (path: string) =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    : []
const withoutSum = ({ view_sum: _, ...message }: { view_sum?: unknown }) => message
const shown = (name?: string) => lines(inbox(name)).map(({ id }) => id)
const texts = (name = 'ada') => world.inbox(name).map(({ content }) => content)
const send = (id: string, to = 'ada') => world.send({ to, content: `text of ${id}` }, 'user', id)
const readBy = (name: string, ...ids: string[]) =>
  world.report([{ type: 'message.delivered', member: name, ids, take: null }], name)

/** A foreign program: `echo '…' >> file`. */
function echo(content: string, path = inbox(), extra: object = {}) {
  mkdirSync(join(path, '..'), { recursive: true })
  appendFileSync(path, `${JSON.stringify({ type: 'message', from: 'ci', content, ...extra })}\n`)
}

/** What a runtime does with a incoming. Returns how many facts came of it. */
async function ingest(views: Views): Promise<number> {
  const incoming = await views.collect(world.state)
  if (!incoming) return 0
  const facts = incoming.facts(world.state)
  if (facts.length > 0) world.report(facts)
  await incoming.settle(world.state)
  return facts.length
}

describe('an inbox file', () => {
  it('shows one line per unread message and is emptied once read', async () => {
    const views = open()
    send('m1')
    send('m2')
    send('m3', 'lead')
    world.send({ to: 'user', content: 'done' }, 'ada', 'm4')
    await show(views)
    expect(lines(inbox()).map(withoutSum)).toEqual(world.inbox('ada'))
    expect(shown('lead')).toEqual(['m3'])
    expect(shown('user')).toEqual(['m4'])
    expect(statSync(inbox()).mode & 0o777).toBe(0o600)

    readBy('ada', 'm1')
    await show(views)
    expect(shown()).toEqual(['m2'])
    readBy('ada', 'm2')
    await show(views)
    expect(readFileSync(inbox(), 'utf8')).toBe('')
  }) // A69

  it('has newlines around each line and is only appended to or renamed', async () => {
    const views = open()
    send('m1')
    await show(views)
    const { ino } = statSync(inbox())
    send('m2')
    await show(views)
    expect(statSync(inbox()).ino).toBe(ino)
    expect(readFileSync(inbox(), 'utf8')).toMatch(/^\n\{"id":"m1".*\}\n\n\{"id":"m2".*\}\n$/)
    readBy('ada', 'm1')
    await show(views)
    expect(statSync(taken()[0] ?? '').ino).toBe(ino)
  })

  it('shows any text in one line', async () => {
    world.send({ to: 'ada', content: 'a\nb\\"\u2028 ✨ \u0000' }, 'user', 'm1')
    await show(open())
    expect(lines(inbox()).map(withoutSum)).toEqual(world.inbox('ada'))
  }) // F9

  it('shows no message twice when another process has shown it', async () => {
    const [first, second] = [open(), open()]
    send('m1')
    await show(first)
    await show(second)
    send('m2')
    await show(second)
    await show(first)
    expect(shown()).toEqual(['m1', 'm2'])
    readBy('ada', 'm1')
    await show(first)
    await show(second)
    expect(shown()).toEqual(['m2'])
  })

  it('is not written while another program is in the middle of a line', async () => {
    const views = open()
    mkdirSync(join(inbox(), '..'), { recursive: true })
    appendFileSync(inbox(), '{"type":"message","fr')
    send('m1')
    await show(views)
    expect(readFileSync(inbox(), 'utf8')).toBe('{"type":"message","fr')
    appendFileSync(inbox(), 'om":"ci","content":"red"}\n')
    await show(views)
    expect(shown()).toEqual([undefined, 'm1'])
  })

  it('is written by the next process when one died between renaming and writing', async () => {
    send('m1')
    await show(open())
    mkdirSync(join(dir, '.teams/web/inbox/.taken'))
    renameSync(inbox(), join(dir, '.teams/web/inbox/.taken/01ARZ3NDEKTSV4RRFFQ69G5FAV.ada.jsonl'))
    expect(await ingest(open())).toBe(0)
    expect(shown()).toEqual(['m1'])
  })

  it('is made for members only, and not for a removed team', async () => {
    await show(open())
    expect(readdirSync(join(dir, '.teams/web/inbox'))).toEqual([])
    rmSync(join(dir, '.teams/web'), { recursive: true })
    await show(open())
    expect(await open().collect(world.state)).toBeUndefined()
    expect(existsSync(join(dir, '.teams/web'))).toBe(false)
  }) // F13

  it('that is a link is neither read nor written', async () => {
    const secret = join(dir, 'secret')
    writeFileSync(secret, '{"from":"x","content":"secret"}\n')
    mkdirSync(join(inbox(), '..'), { recursive: true })
    symlinkSync(secret, inbox())
    const views = open()
    send('m1')
    await show(views)
    expect(await ingest(views)).toBe(0)
    expect(texts()).toEqual(['text of m1'])
    expect(readFileSync(secret, 'utf8')).toBe('{"from":"x","content":"secret"}\n')
    expect(warnings[0]).toMatch(/not a plain file/)
    expect(warnings).toHaveLength(1)
    // It does not count as a change for ever: the wait would end at once each time.
    const early = Symbol('early')
    const changed = views.inboxChanged(200).then(() => 'changed')
    expect(await Promise.race([changed, new Promise((resolve) => setTimeout(resolve, 20, early))])).toBe(early)
    await changed
  })

  it('with many unread messages is not rewritten for every message that is read', async () => {
    for (let i = 0; i < 500; i++) send(`m${i}`)
    const disk = recordingDisk()
    const views = open(disk)
    await show(views)
    for (let i = 0; i < 500; i++) {
      readBy('ada', `m${i}`)
      await show(views)
    }
    const size = taken().reduce((sum, path) => sum + statSync(path).size, 0)
    expect(size).toBeLessThan(500 * 150 * 15)
    expect(disk.calls.filter((call) => call === 'renameSync').length).toBeLessThan(300)
  })
})

describe('lines that other programs append to an inbox file', () => {
  it('become messages that are marked as external', async () => {
    const views = open()
    send('m1')
    await show(views)
    echo('build is red', inbox(), { run: 7, id: 'their-id' })
    echo('for the lead', inbox('lead'))
    expect(await ingest(views)).toBe(2)
    const [, message] = world.inbox('ada')
    expect(message).toMatchObject({ type: 'message', from: 'ci', to: 'ada', content: 'build is red', external: true })
    expect(message).toMatchObject({
      run: 7,
      external_id: 'their-id',
      id: expect.stringMatching(/^[0-9A-Z]{26}\.ada:\d+$/),
    })
    expect(texts('lead')).toEqual(['for the lead'])
    expect(shown()).toEqual(['m1', message?.id])
    expect(await ingest(views)).toBe(0)
  }) // G11, A70

  it('never include lines that deskmates wrote', async () => {
    const views = open()
    for (let round = 0; round < 5; round++) {
      send(`m${round}`)
      echo(`foreign ${round}`)
      await show(views)
      await ingest(views)
      await ingest(open())
      readBy('ada', `m${round}`)
      await show(views)
    }
    expect(texts()).toEqual(['foreign 0', 'foreign 1', 'foreign 2', 'foreign 3', 'foreign 4'])
    expect(shown().sort()).toEqual(
      world
        .inbox('ada')
        .map(({ id }) => id)
        .sort(),
    )
    for (const { id } of world.inbox('ada')) readBy('ada', id)
    await show(views)
    now += 11 * MINUTE
    for (let i = 0; i < 5; i++) expect(await ingest(open())).toBe(0)
    expect(taken()).toEqual([])
    expect(texts()).toEqual([])
  }) // F12

  it('are also read from the older paths', async () => {
    echo('old layout', join(dir, '.teams/web/ada_inbox.jsonl'), { sender: 'ci', from: undefined })
    echo('another case', inbox('ADA'))
    echo('not this team', join(dir, '.team/inbox/ada.jsonl'))
    await ingest(open())
    expect(texts().sort()).toEqual(['another case', 'old layout'])
    world = teamHarness('default')
    mkdirSync(join(dir, '.teams/default'))
    const views = openViews({ dir, team: 'default', disk: realDisk, warn: () => {} })
    echo('oldest layout', join(dir, '.team/inbox/lead.jsonl'))
    expect(await ingest(views)).toBe(1)
    expect(texts('lead')).toEqual(['oldest layout'])
    expect(existsSync(join(dir, '.team/inbox/ada.jsonl'))).toBe(true)
  }) // A64

  it('are rejected once with the reason when broken, and the rest is delivered', async () => {
    echo('one')
    appendFileSync(inbox(), 'hello\n{"type":"banana","content":"x"}\n')
    echo('two')
    expect(await ingest(open())).toBe(4)
    expect(texts()).toEqual(['one', 'two'])
    const rejected = inbox('ada.rejected')
    expect(lines(rejected)).toMatchObject([
      { reason: 'it is not JSON', line: 'hello' },
      { reason: expect.stringContaining('"banana" is unknown'), line: '{"type":"banana","content":"x"}' },
    ])
    expect(lines(rejected)[0]).toMatchObject({ archive: expect.any(String), offset: expect.any(Number) })
    expect(warnings).toEqual([expect.stringMatching(/2 lines of an inbox file were not delivered/)])
    expect(await ingest(open())).toBe(0)
    expect(lines(rejected)).toHaveLength(2)
  }) // F8

  it('are read from a program that opened the file before it was renamed', async () => {
    const views = open()
    echo('first')
    const fd = openSync(inbox(), 'a')
    expect(await ingest(views)).toBe(1)
    writeSync(fd, '{"from":"late","content":"sec')
    expect(await ingest(views)).toBe(0)
    writeSync(fd, 'ond"}\n')
    expect(await ingest(open())).toBe(1)
    now += 5 * MINUTE
    writeSync(fd, '{"from":"late","content":"third"}')
    expect(await ingest(views)).toBe(1)
    expect(texts()).toEqual(['first', 'second', 'third'])
    expect(taken()).toHaveLength(1)
    closeSync(fd)
    now += 6 * MINUTE
    expect(await ingest(open())).toBe(0)
    expect(taken()).toEqual([])
  })

  it('may lack the last newline after ten minutes, and are rejected if unfinished', async () => {
    echo('whole')
    appendFileSync(inbox(), '{"from":"ci","content":"begun\n')
    echo('behind')
    appendFileSync(inbox(), '{"from":"ci","content":"cut off')
    expect(await ingest(open())).toBe(2)
    now += 11 * MINUTE
    expect(await ingest(open())).toBe(2)
    expect(await ingest(open())).toBe(0)
    expect(texts()).toEqual(['whole', 'behind'])
    expect(lines(inbox('ada.rejected')).map(({ line }) => line)).toEqual([
      '{"from":"ci","content":"begun',
      '{"from":"ci","content":"cut off',
    ])
    expect(taken()).toEqual([])
  })

  it('are joined when a line of ours was written in between', async () => {
    const views = open()
    await show(views)
    const fd = openSync(inbox(), 'a', 0o600)
    writeSync(fd, '{"from":"slow","con')
    send('m1')
    appendFileSync(inbox(), `\n${JSON.stringify(world.inbox('ada')[0])}\n`)
    writeSync(fd, 'tent":"from ')
    echo('between')
    expect(await ingest(views)).toBe(1)
    writeSync(fd, 'pieces"}\n')
    expect(await ingest(open())).toBe(1)
    expect(texts()).toEqual(['text of m1', 'between', 'from pieces'])
    expect(existsSync(inbox('ada.rejected'))).toBe(false)
    closeSync(fd)
  })

  it('never include a torn line of ours', async () => {
    send('m1')
    const disk = recordingDisk()
    const half = { ...disk, writeSync: (fd: number, bytes: Uint8Array) => disk.writeSync(fd, bytes.subarray(0, 40)) }
    await show(
      openViews({
        dir,
        team: 'web',
        disk: { ...realDisk, writeSync: half.writeSync },
        warn: () => {},
        now: () => now,
      }),
    ).catch(() => {})
    expect(await ingest(open())).toBe(0)
    now += 11 * MINUTE
    for (let i = 0; i < 3; i++) expect(await ingest(open())).toBe(0)
    expect(texts()).toEqual(['text of m1'])
    expect(shown()).toEqual(['m1'])
    expect(taken()).toEqual([])
  })

  it('wait while the mailbox is full', async () => {
    const views = open()
    world.report(
      Array.from(
        { length: UNREAD_CAP - 2 },
        (_, i) =>
          ({
            type: 'message.sent',
            message: { id: `m${i}`, type: 'message', from: 'user', to: 'ada', content: '', timestamp: 1 },
          }) as const,
      ),
    )
    for (const content of ['a', 'b', 'c', 'd']) echo(content)
    expect(await ingest(views)).toBe(2)
    expect(await ingest(views)).toBe(0)
    expect(world.inbox('ada')).toHaveLength(UNREAD_CAP)
    echo('e')
    now += 11 * MINUTE
    expect(await ingest(open())).toBe(0)
    readBy('ada', ...Array.from({ length: 9000 }, (_, i) => `m${i}`))
    expect(await ingest(open())).toBe(3)
    expect(texts().slice(-5)).toEqual(['a', 'b', 'c', 'd', 'e'])
  }) // F15

  it('are read in bounded batches, in order', async () => {
    const views = open()
    mkdirSync(join(inbox(), '..'), { recursive: true })
    appendFileSync(inbox(), Array.from({ length: 2500 }, (_, i) => `{"from":"ci","content":"${i}"}\n`).join(''))
    expect(await ingest(views)).toBe(1000)
    await views.inboxChanged(600_000)
    expect(await ingest(open())).toBe(1000)
    expect(await ingest(views)).toBe(500)
    expect(await ingest(views)).toBe(0)
    expect(texts()).toEqual(Array.from({ length: 2500 }, (_, i) => String(i)))
  }) // F15

  it('are refused over 16 MB without being kept in memory', async () => {
    mkdirSync(join(inbox(), '..'), { recursive: true })
    appendFileSync(inbox(), `{"from":"ci","content":"${'x'.repeat(20 * 1024 * 1024)}"}\n`)
    echo('behind')
    const views = open()
    for (let i = 0; i < 10; i++) await ingest(views)
    expect(texts()).toEqual(['behind'])
    expect(lines(inbox('ada.rejected'))).toHaveLength(1)
  })

  it('wait for an unknown member for ten minutes and then bounce', async () => {
    echo('for a ghost', inbox('ghost'))
    echo('later', inbox())
    world.ok({ type: 'member.stop', name: 'ada' })
    expect(await ingest(open())).toBe(0)
    expect(taken()).toEqual([])
    world.join('ada')
    const incoming = await open().collect(world.state)
    world.ok({ type: 'member.stop', name: 'ada' })
    expect(incoming?.facts(world.state)).toEqual([])
    world.join('ada')
    expect(await ingest(open())).toBe(1)
    expect(texts()).toEqual(['later'])
    expect(existsSync(inbox('ghost'))).toBe(true)
  }) // F13

  it('count once when two processes read them at the same time', async () => {
    const [first, second] = [open(), open()]
    for (let round = 0; round < 20; round++) {
      echo(`a${round}`)
      appendFileSync(inbox(), `rubbish ${round}\n`)
      const one = await first.collect(world.state)
      echo(`b${round}`)
      const two = await second.collect(world.state)
      const facts = [one, two].map((incoming) => incoming?.facts(world.state) ?? [])
      for (const events of facts) if (events.length > 0) world.report(events)
      await two?.settle(world.state)
      await one?.settle(world.state)
    }
    await ingest(first)
    expect(texts().sort()).toEqual(
      Array.from({ length: 20 }, (_, i) => [`a${i}`, `b${i}`])
        .flat()
        .sort(),
    )
    expect(lines(inbox('ada.rejected'))).toHaveLength(20)
  })

  it('are delivered exactly once, wherever a reading process dies', async () => {
    for (let calls = 0; ; calls++) {
      send(`m${calls}`)
      echo(`foreign ${calls}`)
      let died = false
      const dying = open(recordingDisk({ crashAfter: calls }))
      await show(dying)
        .then(() => ingest(dying))
        .catch(() => {
          died = true
        })
      while ((await ingest(open())) > 0);
      await show(open())
      expect(texts().sort(), `died after ${calls} calls`).toEqual([`foreign ${calls}`, `text of m${calls}`])
      expect([...new Set(shown())].sort()).toEqual(
        world
          .inbox('ada')
          .map(({ id }) => id)
          .sort(),
      )
      readBy('ada', ...world.inbox('ada').map(({ id }) => id))
      await show(open())
      now += 11 * MINUTE
      expect(await ingest(open())).toBe(0)
      expect(taken()).toEqual([])
      expect(texts()).toEqual([])
      if (!died) break
    }
  })
})

describe('inboxChanged', () => {
  it('resolves when another program writes, not when this process does', async () => {
    const views = open()
    await show(views)
    await ingest(views)
    let hasResolved = false
    const changed = views.inboxChanged(600_000).then(() => {
      hasResolved = true
    })
    send('m1')
    await show(views)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(hasResolved).toBe(false)
    echo('hello')
    await changed
    expect(await ingest(views)).toBe(1)
  })

  it('resolves when its signal aborts, or was aborted before', async () => {
    const views = open()
    await ingest(views)
    const stop = new AbortController()
    const changed = views.inboxChanged(600_000, stop.signal)
    stop.abort()
    await changed
    await views.inboxChanged(600_000, stop.signal)
    await views.inboxChanged(1)
  })
})

describe('differences between inbox files and the journal', () => {
  it('are reported and repaired', async () => {
    const views = open()
    send('m1')
    send('m2')
    await show(views)
    readBy('ada', 'm1')
    send('m3')
    send('m4', 'lead')
    expect((await open().differences(world.state, cursor())).filter((text) => text.includes('inbox'))).toEqual([
      `${inbox('lead')}: does not show 1 unread message`,
      `${inbox('ada')}: does not show 1 unread message`,
      `${inbox('ada')}: shows 1 message that was read`,
    ])
    await open().repair(world.state, cursor())
    expect(await open().differences(world.state, cursor())).toEqual([])
    expect(shown()).toEqual(['m2', 'm3'])
  })
})
