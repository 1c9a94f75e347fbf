import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.ts'

let marks = 0

/** Appends to this schema that the server carried out in vain so far, with its reason: they had to be sent again. */
export async function failedAppends({ server, sql }: Database, schema: string): Promise<string[]> {
  // The log is written in order, perhaps a little later: what stands before this mistake of ours is everything.
  const mark = `mark ${marks++} of ${process.pid}`
  await sql(`select '${mark}'::int`).catch(() => {})
  for (let looks = 0; looks < 1000; looks++) {
    const log = readFileSync(join(server.folder, 'log'), 'utf8')
    if (log.includes(mark)) {
      const failed = [...log.matchAll(FAILED)].map(([text]) => text)
      return failed.filter((text) => text.includes(`${schema}.append(`))
    }
    await sleep(10)
  }
  throw new Error('The server does not write its log.')
}

const FAILED = /ERROR: [^\n]*\n(?:[^\n]*(?:DETAIL|HINT|CONTEXT): [^\n]*\n|\t[^\n]*\n)*[^\n]*STATEMENT: [^\n]*/g
