import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own for one storm, gone with it. */
export interface Place extends Disposable {
  readonly dir: string
  readonly beliefs: string
  readonly journal: string
}

export const TEAM = 'storm'

export function makePlace(): Place {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-storm-'))
  return {
    dir,
    beliefs: dir,
    journal: join(dir, '.teams', TEAM, 'journal.jsonl'),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}

export const isSoak = process.env.DESKMATES_SOAK === '1'

/** A figure of a storm; the environment may change it. */
export function figure(name: string, usual: number, soak: number): number {
  return Number(process.env[`DESKMATES_${name}`] ?? (isSoak ? soak : usual))
}
