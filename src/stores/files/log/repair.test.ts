import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Disk, realDisk } from '../disk.ts'
import { JournalMoved, removeSnapshot, replaceJournal } from './repair.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deskmates-repair-'))
  writeFileSync(join(folder, 'journal.jsonl'), 'broken\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const records = () => [{ id: 'team', after: '' }]

describe('replaceJournal', () => {
  it('begins a new journal and keeps the bytes of the old one', () => {
    const damaged = replaceJournal(realDisk, folder, 7, (name) => [{ id: 'team', after: '', from: name }])
    expect(readFileSync(join(folder, damaged), 'utf8')).toBe('broken\n')
    expect(readFileSync(join(folder, 'journal.jsonl'), 'utf8')).toContain(`"id":"team","after":"","from":"${damaged}"`)
    expect(readdirSync(folder)).toHaveLength(2)
  })

  it('changes nothing when another process has written meanwhile', () => {
    const replace = () =>
      replaceJournal(realDisk, folder, 7, () => {
        writeFileSync(join(folder, 'journal.jsonl'), 'one more\n', { flag: 'a' })
        return records()
      })
    expect(replace).toThrow(JournalMoved)
    expect(readdirSync(folder)).toEqual(['journal.jsonl'])
  })

  it('leaves a journal in place whichever call fails', () => {
    let calls = 0
    const count = failingAfter(Number.POSITIVE_INFINITY, () => calls++)
    replaceJournal(count, folder, 7, records)
    for (let call = 0; call < calls; call++) {
      rmSync(folder, { recursive: true })
      realDisk.mkdirSync(folder, 0o700)
      writeFileSync(join(folder, 'journal.jsonl'), 'broken\n')
      expect(() => replaceJournal(failingAfter(call), folder, 7, records)).toThrow('EIO')
      const left = readFileSync(join(folder, 'journal.jsonl'), 'utf8')
      expect(left === 'broken\n' || left.includes('"id":"team"')).toBe(true)
    }
    expect(calls).toBeGreaterThan(5)
  })

  it('works without a snapshot', () => {
    removeSnapshot(realDisk, folder)
    writeFileSync(join(folder, 'snapshot.json'), '{}')
    removeSnapshot(realDisk, folder)
    expect(readdirSync(folder)).toEqual(['journal.jsonl'])
  })
})

/** Every call after the first `calls` fails, as on a disk that was pulled out. */
function failingAfter(calls: number, seen: () => void = () => {}): Disk {
  let left = calls
  return new Proxy(realDisk, {
    get:
      (disk, name: keyof Disk) =>
      (...args: never[]) => {
        seen()
        if (left-- <= 0) throw Object.assign(new Error('EIO: the disk is gone'), { code: 'EIO' })
        return (disk[name] as (...args: never[]) => unknown)(...args)
      },
  })
}
