import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Author, TeamEvent } from '../../src/team/event.ts'

/** A record as it stands in the file; `accepted` by the rule of docs/files-on-disk.md. */
export interface RawRecord {
  readonly id: string
  readonly after?: string
  readonly tries?: number
  readonly at: number
  readonly by: Author
  readonly command?: string
  readonly events: readonly TeamEvent[]
  readonly accepted: boolean
}

export interface RawJournal {
  readonly records: readonly RawRecord[]
  readonly torn: number
  /** What no writer of ours may leave: must be empty. */
  readonly malformed: readonly string[]
}

/**
 * Judges a journal with nothing of ours but its documented format: the store that wrote it cannot share a mistake with
 * the test that checks it.
 */
export function readRawJournal(path: string): RawJournal {
  const records: RawRecord[] = []
  const malformed: string[] = []
  const counted = new Set<string>()
  let torn = 0
  let last = ''
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    if (line === '') continue
    const [, body, sum] = /^(.*),"sum":"([0-9a-f]{16})"\}$/s.exec(line) ?? []
    if (body === undefined) {
      if (line.startsWith('{"v":1,"id":'.slice(0, line.length))) torn++
      else malformed.push(line.slice(0, 200))
      continue
    }
    if (createHash('sha256').update(body).digest('hex').slice(0, 16) !== sum) {
      malformed.push(line.slice(0, 200))
      continue
    }
    const record = JSON.parse(line)
    const accepted = !counted.has(record.id) && (record.after === undefined || record.after === last)
    if (accepted) counted.add(record.id)
    if (accepted && record.after !== undefined) last = record.id
    records.push({ ...record, accepted })
  }
  return { records, torn, malformed }
}
