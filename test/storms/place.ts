import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawJournal, readRawJournal } from './raw-journal.ts'

/** Where one storm takes place, gone with it. */
export interface Place extends Disposable {
  /** What `openStore` opens: the folder, or the address of a database. */
  readonly store: string
  /** A folder in any case; what processes believe is written down here. */
  readonly dir: string
  readonly beliefs: string
  readJournal(): Promise<RawJournal>
}

/** A place on files, whose journal can be looked at. */
export interface FilesPlace extends Place {
  readonly journal: string
}

export const TEAM = 'storm'

export function makePlace(): FilesPlace {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-storm-'))
  const journal = join(dir, '.teams', TEAM, 'journal.jsonl')
  return {
    store: dir,
    dir,
    beliefs: dir,
    journal,
    readJournal: async () => readRawJournal(journal),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}

export const isSoak = process.env.DESKMATES_SOAK === '1'

/** A figure of a storm; the environment may change it. */
export function figure(name: string, usual: number, soak: number): number {
  return Number(process.env[`DESKMATES_${name}`] ?? (isSoak ? soak : usual))
}
