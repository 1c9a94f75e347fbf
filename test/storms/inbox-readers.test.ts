import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openTeam, type TeamHandle } from '../../src/journal/team-handle.ts'
import { realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { openViews } from '../../src/stores/files/views/views.ts'
import { applyEvent } from '../../src/team/apply.ts'
import type { Effect } from '../../src/team/message.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { emptyState } from '../../src/team/state.ts'
import { buildWorkers, createFleet } from './fleet.ts'
import { figure, makePlace, TEAM } from './place.ts'
import { createRandom } from './random.ts'
import { type RawRecord, readRawJournal } from './raw-journal.ts'

const SECONDS = figure('INBOX_SECONDS', 3, 60)

describe('an inbox file with slow writers and lines of our own', () => {
  beforeAll(buildWorkers)

  it('delivers every line of echo and of a slow writer once while two ingesting processes are killed', {
    timeout: 300_000,
  }, async () => {
    const random = createRandom()
    using place = makePlace()
    const views = openViews({ dir: place.dir, team: TEAM, disk: realDisk, warn: () => {} })
    await using store = await openFileStore({ dir: place.dir, views: () => views })
    const team = await openTeam(store, TEAM)
    await team.run({ type: 'team.create', team: TEAM })
    await team.run({ type: 'member.join', name: 'box', role: 'reader' })
    await views.write(team.state, team.cursor)

    const fleet = createFleet(random)
    for (const name of ['keeper1', 'keeper2'])
      fleet.keepRunning({ name, program: 'inbox-file-reader', args: () => [place.dir] })
    const inbox = join(place.dir, '.teams', TEAM, 'inbox', 'box.jsonl')
    const writers = Promise.all([
      write(ECHO, inbox, 'echo1'),
      write(ECHO, inbox, 'echo2'),
      write(SLOW, inbox, 'slow', random.seed),
    ])
    const kills = await fleet.disturb(1200, writers)
    await fleet.end()
    await readOut(team, store.presence.self)

    const written = (await writers).flat()
    const { received, rejected } = broughtIn(readRawJournal(place.journal).records)
    const lost = written.filter((content) => !received.has(content))
    const doubled = [...received].filter(([, times]) => times > 1)
    console.log(
      `slow lines: written ${written.length}, received ${received.size}, lost ${lost.length}, doubled ${doubled.length}, ` +
        `rejected ${rejected.length}, kills ${kills}, archives ${archives(inbox)}, seed ${random.seed}`,
    )
    expect(fleet.crashes).toEqual([])
    expect(lost).toEqual([])
    expect(doubled).toEqual([])
    expect(rejected).toEqual([])
    expect(received.size).toBe(written.length)
    expect(kills).toBeGreaterThan(0)
    // Otherwise only this test would have read the inbox files.
    expect(archives(inbox)).toBeGreaterThan(2)
    await team.close()
  }) // A64, A70, F1, F8, F15, G11
})

/** A full mailbox leaves lines at the door: reads it empty and brings in what is left, until nothing is. */
async function readOut(team: TeamHandle, taker: string): Promise<void> {
  for (let round = 0; round < 100; round++) {
    const { seq } = team.cursor
    const answer = await team.run({ type: 'mail.take', member: 'box', taker, limit: 100_000 })
    const mail = isRefusal(answer) ? undefined : answer.mail
    const ids = mail?.messages.map(({ id }) => id) ?? []
    if (mail && ids.length > 0) await team.acknowledge('box', ids, mail.take)
    await team.ingest()
    await team.refresh()
    if (team.cursor.seq === seq) return
  }
}

/** `echo '…' >> file`, again and again. */
const ECHO = `
const [path, name, until] = process.argv.slice(1)
const { appendFileSync } = require('node:fs')
let count = 0
const step = () => {
  if (Date.now() > until) return console.log(count)
  for (let i = 0; i < 3; i++) appendFileSync(path, JSON.stringify({ type: 'message', from: name, content: name + ' ' + count++ }) + '\\n')
  setTimeout(step, 3)
}
step()`

/** A program that opens the file, takes its time over one line, and closes it. */
const SLOW = `
const [path, name, until, seed] = process.argv.slice(1)
const { openSync, writeSync, closeSync } = require('node:fs')
let state = Number(seed) || 1
const below = (end) => (state = (state * 48271) % 2147483647) % end
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
;(async () => {
  let count = 0
  while (Date.now() < until) {
    const line = Buffer.from(JSON.stringify({ type: 'message', sender: name, content: name + ' ' + count++, more: ['ü', { a: true }] }) + '\\n')
    const [a, b] = [below(line.length), below(line.length)].sort((x, y) => x - y)
    const fd = openSync(path, 'a')
    for (const [from, to] of [[0, a], [a, b], [b, line.length]]) {
      writeSync(fd, line.subarray(from, to))
      await sleep(below(12))
    }
    closeSync(fd)
  }
  console.log(count)
})()`

/** Runs a foreign program for a while; resolves with the contents of all lines it wrote. */
async function write(program: string, path: string, name: string, seed = 0): Promise<string[]> {
  const until = Date.now() + SECONDS * 1000
  const child = spawn(process.execPath, ['-e', program, path, name, String(until), String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let count = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    count += text
  })
  await once(child, 'close')
  return Array.from({ length: Number(count) }, (_, i) => `${name} ${i}`)
}

/** How often each foreign line counted, by folding the journal again. */
function broughtIn(records: readonly RawRecord[]) {
  const state = emptyState()
  const received = new Map<string, number>()
  const rejected: string[] = []
  for (const { id, at, by, events, accepted } of records) {
    if (!accepted) continue
    for (const event of events) {
      const effects: Effect[] = []
      applyEvent(state, event, { seq: 0, id, at, by }, effects)
      const counts = effects.some(({ outcome }) => outcome !== 'ignored')
      if (!counts) continue
      if (event.type === 'external.rejected') rejected.push(event.line)
      if (event.type === 'external.received')
        received.set(event.message.content, (received.get(event.message.content) ?? 0) + 1)
    }
  }
  return { received, rejected }
}

function archives(inbox: string): number {
  const folder = join(inbox, '..', '.taken')
  return existsSync(folder) ? readdirSync(folder).length : 0
}
