import { advance, type LogRecord, START, type Store } from '../ports/store.ts'
import { callsIn } from '../runtime/removed-turns.ts'

/** So many of its last calls are told to the next owner of a task. */
const LAST_CALLS = 10

/**
 * The last tool calls that a member made for a task, in words, from its transcript: also from another machine's, where
 * they share a database. A turn that tells of a task names it; where none does, the last calls of all its work.
 */
export async function lastCalls(store: Store, team: string, member: string, task: string): Promise<readonly string[]> {
  const log = await store.log(`${team}/transcripts/${member}`)
  try {
    let all: LogRecord[] = []
    let own: LogRecord[] | undefined
    let isOwn = false
    let cursor = START
    for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor)) {
      for (const recorded of batch) {
        const { record } = recorded
        if (typeof record.task === 'string') {
          isOwn = record.task === task
          if (isOwn) own ??= []
        }
        if (isOwn) own?.push(record)
        all.push(record)
        cursor = advance(cursor, recorded)
      }
      all = all.slice(-KEPT_RECORDS)
    }
    return callsIn(own ?? all, LAST_CALLS)
  } finally {
    await log.close()
  }
}

/** Enough to hold the last calls with their results. */
const KEPT_RECORDS = 200
