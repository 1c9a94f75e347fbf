import { nameKey } from '../../team/name.ts'
import type { TeamState } from '../../team/state.ts'
import type { Attempt, EarlierAttempt, Task } from '../../team/task.ts'
import { advance, START } from '../log/cursor.ts'
import type { LogName, LogRecord, Store } from '../log/store.ts'
import { callsIn } from './recorded-calls.ts'

/** The part of a task that names its earlier attempts. */
export type Ended = Readonly<Pick<Task, 'id'>> & { readonly ended: readonly Attempt[] }

/** The next owner of a task reads about at most so many attempts. */
const MAX_ATTEMPTS = 3
/** And at most so many of the last calls of each. */
const LAST_CALLS = 10
/** Enough to hold the last calls with their results. */
const KEPT_RECORDS = 200

/**
 * The attempts of other members at a task since this owner last held it, one per member, the newest last: who held it,
 * why that ended, and the last calls of it by that member's transcript.
 */
export async function earlierAttempts(
  store: Store,
  team: { readonly name: string; readonly state: TeamState },
  { id, ended }: Ended,
  owner: string,
): Promise<readonly EarlierAttempt[]> {
  const own = ended.findLastIndex((attempt) => nameKey(attempt.owner) === nameKey(owner))
  const others = new Map<string, Attempt>()
  for (const attempt of ended.slice(own + 1)) {
    // Behind those that came before its last one.
    others.delete(nameKey(attempt.owner))
    others.set(nameKey(attempt.owner), attempt)
  }
  const attempts: EarlierAttempt[] = []
  for (const attempt of [...others.values()].slice(-MAX_ATTEMPTS)) {
    // A further team has the conversation of its lead in the team of its session.
    const keeper = (nameKey(attempt.owner) === 'lead' && team.state.team.get()?.session) || team.name
    // The claim stands, whatever is wrong with a transcript.
    const lastCalls = await callsFor(store, `${keeper}/transcripts/${attempt.owner}`, id).catch(() => [])
    attempts.push({ ...attempt, lastCalls })
  }
  return attempts
}

/**
 * The last tool calls for a task in words: also those of another machine, where both share a database. A turn or a
 * result by which a member got a task names it; where none does, the last calls of all its work.
 */
async function callsFor(store: Store, transcript: LogName, task: string): Promise<readonly string[]> {
  const log = await store.log(transcript)
  try {
    let all: LogRecord[] = []
    let own: LogRecord[] | undefined
    let answer: LogRecord | undefined
    let isOwn = false
    let cursor = START
    for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor)) {
      for (const recorded of batch) {
        const { record } = recorded
        if (record.assistant) answer = record
        if (typeof record.task === 'string') {
          isOwn = record.task === task
          if (isOwn) own ??= []
          // The other calls of the answer that claimed it may be for it too.
          if (isOwn && record.result && answer && own?.at(-1) !== answer) own?.push(answer)
        }
        if (isOwn) own?.push(record)
        all.push(record)
        cursor = advance(cursor, recorded)
      }
      all = all.slice(-KEPT_RECORDS)
      own = own?.slice(-KEPT_RECORDS)
    }
    return callsIn(own ?? all, LAST_CALLS)
  } finally {
    await log.close()
  }
}
