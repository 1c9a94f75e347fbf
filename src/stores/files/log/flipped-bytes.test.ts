import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { advance, START } from '../../../journal/log/cursor.ts'
import type { Audited, LogRecord } from '../../../journal/log/store.ts'
import { TeamError } from '../../../team/errors.ts'
import { readAll } from '../../../testing/contracts/read-all.ts'
import { openFileStore } from '../store.ts'
import { encode } from './line.ts'
import { createScanner } from './scanner.ts'

const folder = mkdtempSync(join(tmpdir(), 'deskmates-flips-'))
afterAll(() => rmSync(folder, { recursive: true }))

const id = (name: string) => `01K9${createHash('sha256').update(name).digest('hex').slice(0, 22).toUpperCase()}`

/** Facts, decisions, chained ones, a repeated one, and losers right behind the decision they lost against. */
const records: LogRecord[] = [
  { id: id('made'), after: '', type: 'team.created' },
  { id: id('fact'), text: 'mail, "quoted" é' },
  { id: id('one'), after: id('made') },
  { id: id('two'), after: id('one'), tries: 1 },
  { id: id('lost'), after: id('made'), tries: 3 },
  { id: id('fact'), text: 'mail, "quoted" é' },
  { id: id('three'), after: id('two') },
  { id: id('lost too'), after: id('two') },
  { id: id('chained to it'), after: id('lost too') },
  { id: id('last fact'), nested: { after: id('three'), list: [{}] } },
]
const frames = records.map((record) => encode(record)!.bytes)
const verdicts = [
  'accepted',
  'accepted',
  'accepted',
  'accepted',
  'refused',
  'repeated',
  'accepted',
  'refused',
  'refused',
  'accepted',
]

/** What one byte can turn into: each of its bits flipped, or a byte that means something to us. */
function changesOf(byte: number): number[] {
  const flipped = Array.from({ length: 8 }, (_, bit) => byte ^ (1 << bit))
  return [...new Set([...flipped, 10, 34, 44, 123, 125])].filter((other) => other !== byte)
}

function scan(bytes: Buffer) {
  const lines: Audited[] = []
  const scanner = createScanner({ path: 'journal', knows: new Set(), show: (sight) => lines.push(sight) })
  while (scanner.scan((into, position) => bytes.copy(into, 0, position))) {}
  const faults = lines.filter(({ verdict }) => verdict === 'damaged' || verdict === 'broken chain')
  return { lines, last: scanner.chain.last, forbidden: scanner.forbidsWriting, faults: [...faults, scanner.tail] }
}

it('gives the expected verdicts to an unchanged journal', () => {
  expect(scan(Buffer.concat(frames)).lines.map(({ verdict }) => verdict)).toEqual(verdicts)
})

it('names one changed byte anywhere, changes no other verdict and accepts no second winner', () => {
  const wrong: string[] = []
  for (let count = 1; count <= frames.length; count++) {
    const whole = Buffer.concat(frames.slice(0, count))
    const { last } = scan(whole)
    // What follows a record matters only for the few records behind it; the whole journal is tried at every byte.
    const isWhole = count === frames.length
    const from = isWhole ? 0 : Buffer.concat(frames.slice(0, Math.max(0, count - 2))).length
    for (let at = from; at < whole.length; at++) {
      for (const byte of changesOf(whole[at]!).filter((_, i) => isWhole || (i + at) % 3 === 0)) {
        const now = scan(changed(whole, at, byte))
        const isNamed = now.faults.some((fault) => fault && isNear(fault.offset, at))
        const isFenced = now.forbidden !== undefined || now.last === last
        if (!isNamed || !isFenced || now.lines.some(changedItsVerdict)) wrong.push(`${count}: ${at} -> ${byte}`)
      }
    }
  }
  expect(wrong).toEqual([])
}) // F8, F22

const allowed = new Map<string, Set<string>>()
for (const [at, record] of records.entries()) {
  const key = JSON.stringify(record)
  allowed.set(key, (allowed.get(key) ?? new Set()).add(verdicts[at]!))
}

/** A fact that was written twice counts at its second place when the first cannot be read; nothing else may change. */
function changedItsVerdict({ record, verdict }: Audited): boolean {
  if (!record || verdict === 'broken chain') return false
  return !allowed.get(JSON.stringify(record))?.has(verdict)
}

function changed(whole: Buffer, at: number, byte: number): Buffer {
  const bytes = Buffer.from(whole)
  bytes[at] = byte
  return bytes
}

it('refuses every decision after a decision was damaged', async () => {
  const whole = Buffer.concat(frames)
  let refused = 0
  mkdirSync(join(folder, '.teams/web'), { recursive: true })
  for (let at = 0; at < whole.length; at++) {
    const byte = changesOf(whole[at]!)[at % 8]!
    writeFileSync(join(folder, '.teams/web/journal.jsonl'), changed(whole, at, byte))
    await using store = await openFileStore({ dir: folder, durability: 'process' })
    const log = await store.log('web/journal')
    const { last } = (await readAll(log)).reduce(advance, START)
    const outcome = await log.append([{ id: 'new', after: last }]).then(({ outcomes }) => outcomes[0], codeOf)
    if (outcome === 'accepted') expect(last, `byte ${at}`).toBe(id('three'))
    else expect(outcome, `byte ${at}`).toBe('journal_read_only')
    if (outcome !== 'accepted') refused++
    let isNamed = false
    for await (const lines of log.audit()) isNamed ||= lines.some(({ verdict }) => verdict === 'damaged')
    expect(isNamed, `byte ${at}`).toBe(true)
    expect(
      log.faults().some(({ kind, offset }) => kind === 'damaged' && isNear(offset, at)),
      `byte ${at}`,
    ).toBe(true)
  }
  expect(refused).toBeGreaterThan(whole.length / 2)
})

/** Is `offset` in the line that holds byte `at`? A changed newline belongs to the lines on both sides of it. */
function isNear(offset: number, at: number): boolean {
  let begins = 0
  for (const { length } of frames) {
    if (at < begins + length) return offset >= begins && offset <= begins + length
    begins += length
  }
  return false
}

function codeOf(error: unknown): string {
  return error instanceof TeamError ? error.code : String(error)
}
