import fs, {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { advance, START } from '../../../journal/log/cursor.ts'
import type { Log } from '../../../journal/log/store.ts'
import { idsOf, readAll } from '../../../testing/contracts/read-all.ts'
import { recordingDisk } from '../../../testing/faulty-disk.ts'
import { type Disk, realDisk } from '../disk.ts'
import { type FileStoreOptions, openFileStore } from '../store.ts'
import { encode } from './line.ts'

const folder = mkdtempSync(join(tmpdir(), 'deskmates-log-'))
afterAll(() => rmSync(folder, { recursive: true }))

let dir: string
let path: string
beforeEach(() => {
  dir = mkdtempSync(join(folder, 'place-'))
  path = join(dir, '.teams/web/journal.jsonl')
})

async function openLog(options: Partial<FileStoreOptions> = {}): Promise<Log> {
  return (await openFileStore({ dir, durability: 'process', ...options })).log('web/journal')
}

describe('a log file', () => {
  it('is readable by its user only and ignored by git from the beginning', async () => {
    await (await openLog()).append([{ id: 'made', after: '' }])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    for (const made of [dirname(path), join(dir, '.teams')]) expect(statSync(made).mode & 0o777).toBe(0o700)
    expect(readFileSync(join(dir, '.teams/.gitignore'), 'utf8')).toBe('*\n')
  })

  it('is written in the tick of the call, in one write for any number of records', async () => {
    const disk = recordingDisk()
    const log = await openLog({ disk })
    await log.append([{ id: 'made', after: '' }])
    const before = disk.calls.length
    const other = await openLog()
    const appended = log.append([
      { id: 'one' },
      { id: 'two', big: 'x'.repeat(2_000_000) },
      { id: 'three', after: 'made' },
    ])
    expect(idsOf(await readAll(other))).toEqual(['made', 'one', 'two', 'three'])
    await appended
    expect(disk.calls.slice(before).filter((call) => call === 'writeSync')).toHaveLength(1)
  }) // F34

  it('keeps all other lines when a writer dies in the middle of one', async () => {
    const log = await openLog()
    await log.append([{ id: 'made', after: '' }])
    const torn = encode({ id: 'torn', after: 'made', text: 'x'.repeat(100) })!.bytes
    for (const length of [1, 2, 9, 60, torn.length - 4]) {
      appendFileSync(path, torn.subarray(0, length))
      expect((await log.append([{ id: `mail ${length}` }])).outcomes).toEqual(['accepted'])
    }
    expect((await log.append([{ id: 'torn', after: 'made' }])).outcomes).toEqual(['accepted'])
    expect(log.faults().map(({ kind }) => kind)).toEqual(['torn', 'torn', 'torn', 'torn'])
    expect(log.faults()[0]).toMatchObject({ path, line: 7, offset: expect.any(Number) })
    expect(idsOf(await readAll(await openLog()))).toHaveLength(7)
  }) // F8, F22

  it('ignores an unfinished line until its newline is written', async () => {
    const log = await openLog()
    await log.append([{ id: 'made', after: '' }])
    const { bytes } = encode({ id: 'slow', after: 'made' })!
    appendFileSync(path, bytes.subarray(0, -1))
    expect(idsOf(await readAll(log))).toEqual(['made'])
    expect(log.faults()).toEqual([])
    // It is complete, so it counts as soon as any write ends its line, and it was there before that write.
    expect((await log.append([{ id: 'late', after: 'made' }])).outcomes).toEqual(['conflict'])
    expect(idsOf(await readAll(log))).toEqual(['made', 'slow'])
  })

  it('returns every record to a lagging reader, however much was written since', async () => {
    const [writer, reader] = [await openLog(), await openLog()]
    await writer.append([{ id: 'made', after: '' }])
    const at = (await reader.read(START)).reduce(advance, START)
    const big = 'x'.repeat(4_000_000)
    for (let number = 0; number < 10; number++) await writer.append([{ id: `big${number}`, big }])
    expect((await reader.append([{ id: 'mine', after: 'made' }])).outcomes).toEqual(['accepted'])
    expect(idsOf(await readAll(reader, at))).toEqual([...Array.from({ length: 10 }, (_, n) => `big${n}`), 'mine'])
  })

  it('shows new records without a poll, also when the log did not exist', async () => {
    const reader = await openLog({ poll: 2 ** 31 - 1 })
    const writer = await openLog()
    const next = reader.tail(START, new AbortController().signal)[Symbol.asyncIterator]()
    const first = next.next()
    await writer.append([{ id: 'made', after: '' }])
    expect(idsOf((await first).value ?? [])).toEqual(['made'])
    const second = next.next()
    await writer.append([{ id: 'mail' }])
    expect(idsOf((await second).value ?? [])).toEqual(['mail'])
    await reader.close()
  }) // F3

  it('shows new records by polling where folders cannot be watched', async () => {
    const warnings: string[] = []
    const watch = () => {
      throw Object.assign(new Error('no watches left'), { code: 'ENOSPC' })
    }
    const reader = await openLog({ poll: 5, disk: { ...realDisk, watch }, warn: (message) => warnings.push(message) })
    const first = reader.tail(START, new AbortController().signal)[Symbol.asyncIterator]().next()
    await (await openLog()).append([{ id: 'made', after: '' }])
    expect(idsOf((await first).value ?? [])).toEqual(['made'])
    expect(warnings).toHaveLength(1)
    await reader.close()
  })
})

describe('the acknowledgement of a write', () => {
  it('comes after the sync, with one sync for all waiting callers', async () => {
    const gates: (() => void)[] = []
    const fdatasync = () => new Promise<void>((resolve) => gates.push(resolve))
    const log = await openLog({ durability: 'power', disk: { ...realDisk, fdatasync } })
    const order: string[] = []
    const made = await log.append([{ id: 'made', after: '' }])
    const mail = await log.append([{ id: 'mail' }])
    const waiting = [made.durable.then(() => order.push('made')), mail.durable.then(() => order.push('mail'))]
    await new Promise(setImmediate)
    for (const id of ['one', 'two', 'three']) {
      const { durable } = await log.append([{ id }])
      waiting.push(durable.then(() => order.push(id)))
    }
    const lost = await log.append([{ id: 'lost', after: '' }])
    await lost.durable
    expect([order, gates.length]).toEqual([[], 1])
    order.push('synced')
    gates[0]!()
    await waiting[1]
    await new Promise(setImmediate)
    order.push('synced again')
    gates[1]!()
    await Promise.all(waiting)
    expect(order).toEqual(['synced', 'made', 'mail', 'synced again', 'one', 'two', 'three'])
    expect(gates).toHaveLength(2)
  }) // F1

  it('is missing after a failed sync: the outcome is unknown and the handle read-only', async () => {
    const fdatasync = async () => {
      throw new Error('EIO')
    }
    const log = await openLog({ durability: 'power', disk: { ...realDisk, fdatasync } })
    const { durable } = await log.append([{ id: 'made', after: '' }])
    await expect(durable).rejects.toMatchObject({ code: 'outcome_unknown' })
    await expect(log.append([{ id: 'mail' }])).rejects.toMatchObject({ code: 'journal_read_only' })
    expect(log.faults()).toMatchObject([{ kind: 'not synced' }])
    expect(idsOf(await readAll(log))).toEqual(['made'])
  })

  it('is missing when the file was replaced during the sync', async () => {
    const fdatasync = async () => renameSync(path, `${path}.damaged`)
    const log = await openLog({ durability: 'power', disk: { ...realDisk, fdatasync } })
    const { durable } = await log.append([{ id: 'made', after: '' }])
    await expect(durable).rejects.toMatchObject({ code: 'outcome_unknown', cause: { code: 'journal_replaced' } })
  })
})

describe('a journal changed under a live process', () => {
  const others = encode({ id: 'other', after: '' })!.bytes
  it.each<[string, () => void]>([
    ['deleted', () => rmSync(path)],
    ['moved away', () => renameSync(path, `${path}.1.damaged`)],
    [
      'replaced by another',
      () => {
        fs.writeFileSync(`${path}.new`, others)
        renameSync(`${path}.new`, path)
      },
    ],
    ['emptied', () => truncateSync(path, 0)],
    ['cut by a byte', () => truncateSync(path, statSync(path).size - 1)],
    [
      'restored in place from a backup and grown since',
      () => {
        copyFileSync(`${path}.backup`, path)
        appendFileSync(path, encode({ id: 'since', after: 'made', text: 'x'.repeat(500) })!.bytes)
      },
    ],
  ])('%s: is named, read no further and never written', async (_, change) => {
    const log = await openLog()
    await log.append([{ id: 'made', after: '' }])
    copyFileSync(path, `${path}.backup`)
    await log.append([{ id: 'claim', after: 'made' }])
    const end = (await readAll(log)).reduce(advance, START)
    change()
    const left = fs.existsSync(path) ? readFileSync(path) : undefined
    await expect(log.read(end)).rejects.toMatchObject({ code: 'journal_replaced' })
    await expect(log.append([{ id: 'late', after: 'claim' }])).rejects.toMatchObject({ code: 'journal_read_only' })
    expect(log.faults()).toMatchObject([{ kind: 'replaced', path, offset: expect.any(Number) }])
    expect(fs.existsSync(path) ? readFileSync(path) : undefined).toEqual(left)
    // A new handle reads the present file.
    const now = await openLog()
    await readAll(now)
    await expect(now.read(end)).rejects.toMatchObject({ code: 'journal_replaced' })
  })

  it('by a byte in the middle: names path, line and offset, and asks for a repair', async () => {
    const log = await openLog()
    await log.append([{ id: 'made', after: '' }])
    const offset = statSync(path).size + 1
    await log.append([{ id: 'mail', text: 'hello' }])
    const bytes = readFileSync(path)
    bytes[bytes.indexOf('hello')]! ^= 1
    fs.writeFileSync(path, bytes)
    const reader = await openLog()
    expect(idsOf(await readAll(reader))).toEqual(['made'])
    expect(reader.faults()).toMatchObject([{ kind: 'damaged', path, line: 4, offset }])
    await expect(reader.append([{ id: 'x' }])).rejects.toThrow(/line 4 \(byte \d+\).*deskmates check --repair/)
    // The process that had read it before goes on, and its decision shows that nothing decided was lost.
    expect((await log.append([{ id: 'claim', after: 'made' }])).outcomes).toEqual(['accepted'])
    expect((await reader.append([{ id: 'done', after: 'claim' }])).outcomes).toEqual(['accepted'])
  })
})

describe('a snapshot', () => {
  async function keep(): Promise<string> {
    const log = await openLog()
    await log.append([{ id: 'made', after: '' }, { id: 'mail' }])
    await log.save(1, (await readAll(log)).reduce(advance, START), () => ({ n: 2 }))
    return join(dirname(path), 'snapshot.json')
  }

  it('that is broken is renamed with one warning, and the journal is read instead', async () => {
    const snapshot = await keep()
    for (const broken of ['', 'no json', '{"v":1}', readFileSync(snapshot, 'utf8').replace('"n":2', '"n":3')]) {
      fs.writeFileSync(snapshot, broken)
      const warnings: string[] = []
      const log = await openLog({ warn: (message) => warnings.push(message) })
      expect(await log.restore(1)).toBeUndefined()
      expect(idsOf(await readAll(log))).toEqual(['made', 'mail'])
      expect(warnings).toEqual([expect.stringMatching(/snapshot\.json\..*\.broken/)])
    }
    expect(fs.readdirSync(dirname(path)).filter((name) => name.endsWith('.broken'))).toHaveLength(4)
  })

  it('is written again once the journal has grown by as much as it holds', async () => {
    const log = await openLog()
    const save = async (id: string, text: string) => {
      const last = id === 'made' ? { after: '' } : {}
      await log.append([{ id, ...last, text }])
      await log.save(1, (await readAll(log)).reduce(advance, START), () => ({ id, state: 'x'.repeat(3000) }))
    }
    const kept = async () => (await (await openLog()).restore(1))?.cursor.id
    await save('made', '')
    await save('little', 'x'.repeat(1000))
    expect(await kept()).toBe('made')
    await save('much', 'x'.repeat(4000))
    expect(await kept()).toBe('much')
  })

  it.for([0, 50])('is not used if lines that did not count gave way to a record %i bytes longer', async (longer) => {
    const log = await openLog()
    await log.append([
      { id: 'made', after: '' },
      { id: 'claim', after: 'made' },
    ])
    const counted = statSync(path).size
    // A writer that keeps losing writes its line all the same. It is not synced, since it does not count.
    const lost = { after: 'made', tries: 3, text: 'x' }
    expect((await log.append([{ id: 'lost', ...lost }])).outcomes).toEqual(['conflict'])
    await log.save(1, (await readAll(log)).reduce(advance, START), () => ({ n: 2 }))
    const restored = async () => {
      const again = await openLog()
      const kept = await again.restore(1)
      return { kept: kept?.cursor.id, read: idsOf(await again.read(kept?.cursor ?? START)) }
    }
    expect((await restored()).kept).toBe('claim')
    // What a power cut leaves, and what the next process writes.
    truncateSync(path, counted)
    expect((await restored()).kept).toBeUndefined()
    await (await openLog()).append([{ id: 'done', ...lost, after: 'claim', text: 'x'.repeat(longer) }])
    expect(await restored()).toEqual({ kept: undefined, read: ['made', 'claim', 'done'] })
  }) // F2

  it('of another journal is not used', async () => {
    await keep()
    rmSync(path)
    const log = await openLog()
    await log.append([{ id: 'other', after: '' }, { id: 'mail' }])
    expect(await (await openLog()).restore(1)).toBeUndefined()
  })

  it('is not saved of a damaged log, nor at a position the handle has read past', async () => {
    const log = await openLog()
    await log.append([{ id: 'made', after: '' }])
    const early = (await readAll(log)).reduce(advance, START)
    await log.append([{ id: 'mail' }])
    await log.save(1, early, () => ({}))
    expect(await (await openLog()).restore(1)).toBeUndefined()
  })
})

describe('permission to write to a log', () => {
  it('is asked once per handle with the id of the team, and nothing is written without it', async () => {
    const asked: unknown[] = []
    const mayWrite = (...args: unknown[]) => void asked.push(args)
    const log = await openLog({ mayWrite })
    await log.append([{ id: 'made', after: '' }])
    await log.append([{ id: 'mail' }])
    const refuse = (...args: unknown[]) => {
      mayWrite(...args)
      throw new Error('run deskmates trust')
    }
    const store = await openFileStore({ dir, mayWrite: refuse })
    const before = readFileSync(path)
    for (const name of ['web/journal', 'web/transcripts/ada'] as const) {
      await expect((await store.log(name)).append([{ id: 'mine' }])).rejects.toThrow('deskmates trust')
    }
    expect(readFileSync(path)).toEqual(before)
    expect(fs.existsSync(join(dir, '.teams/web/transcripts'))).toBe(false)
    expect(asked).toEqual([
      ['web', 'made', true],
      ['web', 'made', false],
      ['web', 'made', false],
    ])
  })

  it('is asked for the journal that exists now, whatever was there before', async () => {
    const asked: string[] = []
    const store = await openFileStore({ dir, mayWrite: (_team, creator) => void asked.push(creator) })
    const write = async () => (await store.log('web/transcripts/ada')).append([{ id: `turn-${asked.length}` }])
    await (await store.log('web/journal')).append([{ id: 'made', after: '' }])
    await write()
    // The same file, written over: another team's journal, made elsewhere.
    fs.writeFileSync(path, encode({ id: 'elsewhere', after: '' })!.bytes)
    await write()
    await store.remove('web', true)
    await (await store.log('web/journal')).append([{ id: 'anew', after: '' }])
    await write()
    expect(asked).toEqual(['made', 'made', 'elsewhere', 'anew', 'anew'])
  })

  it.each([
    ['is longer than what is read at first', '', 'x'.repeat(300_000)],
    ['stands behind a torn line', '\n{"v":1,"id":"torn","after":""', ''],
    ['stands behind a torn line and is long', `\n{"v":1,"id":"torn","text":"${'x'.repeat(4000)}`, 'x'.repeat(9000)],
  ])('is asked with the id of a first record that %s', async (_, torn, text) => {
    const first = { id: 'made', after: '', text }
    fs.mkdirSync(dirname(path), { recursive: true })
    fs.writeFileSync(path, Buffer.concat([Buffer.from(torn), encode(first)!.bytes, encode({ id: 'next' })!.bytes]))
    const asked: unknown[] = []
    const store = await openFileStore({ dir, mayWrite: (...args) => void asked.push(args) })
    for (const name of ['web/journal', 'web/transcripts/ada'] as const)
      await (await store.log(name)).append([{ id: 'mine' }])
    expect(asked).toEqual([
      ['web', 'made', false],
      ['web', 'made', false],
    ])
  })

  it('may be missing on the disk: the journal can still be read', async () => {
    await (await openLog()).append([{ id: 'made', after: '' }])
    const openSync: Disk['openSync'] = (name, flags, mode) => {
      if (Number(flags) & fs.constants.O_RDWR) throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
      return realDisk.openSync(name, flags, mode)
    }
    const log = await openLog({ disk: { ...realDisk, openSync } })
    expect(idsOf(await readAll(log))).toEqual(['made'])
    await expect(log.append([{ id: 'x' }])).rejects.toMatchObject({ code: 'not_written' })
  })

  it.each(['../web/journal', 'web/../x/journal', '/journal', 'web/other', 'web/transcripts/..', 'a b/journal'])(
    'is not even asked for a log called %s',
    async (name) => {
      const store = await openFileStore({ dir })
      await expect(store.log(name as 'web/journal')).rejects.toThrow('not the name of a log')
    },
  ) // F13
})
