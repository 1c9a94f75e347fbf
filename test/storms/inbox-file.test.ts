import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { openTeam } from '../../src/journal/team-handle.ts'
import { realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { openViews } from '../../src/stores/files/views/views.ts'
import { buildWorkers, createFleet } from './fleet.ts'
import { deliveries, drain, repeats } from './mailbox.ts'
import { figure, makePlace, TEAM } from './place.ts'
import { createRandom } from './random.ts'
import { readRawJournal } from './raw-journal.ts'
import { readSideFiles } from './side-file.ts'

const LINES = figure('INBOX_LINES', 600, 6000)
const PAUSE = 250

describe('an inbox file in a storm', () => {
  beforeAll(buildWorkers)

  it('delivers each line of echo and slow writers once while ingesting and taking processes are killed', {
    timeout: 600_000,
  }, async () => {
    const random = createRandom()
    using place = makePlace()
    const { dir, beliefs } = place
    const warnings: string[] = []
    const views = openViews({ dir, team: TEAM, disk: realDisk, warn: (message) => warnings.push(message) })
    await using store = await openFileStore({ dir, views: () => views })
    const team = await openTeam(store, TEAM)
    await team.run({ type: 'team.create', team: TEAM })
    for (const name of ['box', 'crate']) await team.run({ type: 'member.join', name, role: 'reader' })
    const [box, crate] = ['box', 'crate'].map((name) => join(dir, '.teams', TEAM, 'inbox', `${name}.jsonl`))
    mkdirSync(join(box!, '..'), { recursive: true })

    const ours = createFleet(random)
    for (const name of ['ingester1', 'ingester2']) ours.keepRunning({ name, program: 'ingester', args: () => [dir] })
    for (const name of ['taker1', 'taker2']) {
      ours.keepRunning({ name, program: 'mail-taker', args: () => [dir, beliefs, name] })
    }
    const foreign = createFleet(random)
    // One slow writer for each file: parts of two writers would make one line and could not be told apart.
    for (const [name, file, how, count] of [
      ['append1', box!, 'append', LINES],
      ['append2', box!, 'append', LINES],
      ['slow1', box!, 'slow', LINES / 10],
      ['slow2', crate!, 'slow', LINES / 10],
    ] as const) {
      foreign.keepRunning({ name, program: 'inbox-file-writer', args: () => [file, beliefs, name, how, count] })
    }
    const writing = Promise.all([foreign.done(), echo(box!, 'echo1', LINES / 2), echo(crate!, 'echo2', LINES / 2)])
    const kills = await ours.disturb(PAUSE, writing)
    await ours.end()
    // Lines for a full mailbox stay in the archive, and a busy inbox file is emptied every two seconds only.
    for (let round = 0, hasRead = true; round < 200 && (hasRead || hasLines(box!) || hasLines(crate!)); round++) {
      await team.ingest()
      const read = [...(await drain(store, 'box')), ...(await drain(store, 'crate'))]
      hasRead = read.length > 0
      if (!hasRead) await sleep(100)
    }
    await team.close()

    const left = [
      ...readSideFiles(beliefs, 'left-').map(([id]) => id!),
      ...['echo1', 'echo2'].flatMap((name) => Array.from({ length: LINES / 2 }, (_, n) => `${name}-${n + 1}`)),
    ]
    const { records, malformed } = readRawJournal(place.journal)
    const delivered = deliveries(records)
    // Two processes may bring in the same line of the same file, under the same id: then one of them counts.
    const received = new Map(
      records
        .flatMap((record) => (record.accepted ? record.events : []))
        .flatMap((event) =>
          event.type === 'external.received' ? [[event.message.id, event.message.content] as const] : [],
        ),
    )
    const arrived = [...delivered.keys()].map((id) => received.get(id)!.split(' ')[0]!)
    const there = new Set(arrived)
    const lost = left.filter((id) => !there.has(id))
    const doubled = repeats(arrived)
    const rejected = records.flatMap(({ events }) => events.filter(({ type }) => type === 'external.rejected'))
    console.log(
      `inbox file: left ${left.length}, arrived ${arrived.length}, lost ${lost.length}, doubled ${doubled.length}, ` +
        `rejected ${rejected.length}, kills ${kills}, seed ${random.seed}`,
    )
    expect([...ours.crashes, ...foreign.crashes]).toEqual([])
    expect(malformed).toEqual([])
    expect(lost).toEqual([])
    expect(doubled).toEqual([])
    expect(rejected).toEqual([])
    expect([...delivered.values()].filter((times) => times !== 1)).toEqual([])
  }) // A64, A70, F1, F2, F8, F34
})

function hasLines(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** As a person or a cron job does it. */
async function echo(file: string, name: string, count: number): Promise<void> {
  const line = `{"type":"message","from":"${name}","content":"${name}-'"$i"'"}`
  const script = `i=1; while [ $i -le ${count} ]; do echo '${line}' >> '${file}'; i=$((i+1)); done`
  const [code] = await once(spawn('sh', ['-c', script], { stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error(`sh ended with ${code}`)
}
