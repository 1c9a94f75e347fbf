import { encodeTime } from 'ulid'
import type { LogRecord, Store } from '../../journal/log/store.ts'
import { openTeam } from '../../journal/team-handle.ts'
import type { Json } from '../../team/data/json.ts'
import { manualClock } from '../manual-clock.ts'

const START_S = 1_800_000_000

/** Writes the logs of a session at chosen times. */
export async function playedSession(store: Store, name = 'web', facts: { readonly session?: string } = {}) {
  const clock = manualClock(START_S)
  let count = 0
  const team = await openTeam(store, name, { clock })
  await team.run({ type: 'team.create', team: name, ...facts })
  return {
    clock,
    team,
    /** A record with this id at the time of the clock, or so many seconds later. */
    idAt: (seconds = 0) =>
      `${encodeTime(Math.round((clock.now() + seconds) * 1000), 10)}${String(++count).padStart(16, '0')}`,
    async transcript(agent: string, ...records: readonly LogRecord[]) {
      const log = await store.log(`${name}/transcripts/${agent}`)
      await (await log.append(records)).durable
      await log.close()
    },
  }
}

export function userTurn(id: string, text: string, mail: readonly string[] = []): LogRecord {
  return { id, generation: 1, user: { role: 'user', content: [{ type: 'text', text }] } as Json, mail: [...mail] }
}

export function assistantTurn(id: string, text: string): LogRecord {
  const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 }
  const assistant = { role: 'assistant', content: [{ type: 'text', text }] } as Json
  return { id, generation: 1, assistant, end: 'finished', usage, cost: 0, model: 'scripted' }
}
