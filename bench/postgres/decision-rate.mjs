import { fileURLToPath } from 'node:url'
import { startWorkers } from '../worker-group.mjs'
import { createTeam, failedAppends, query, withServer } from './server.mjs'

const DECIDERS = 8
/** Rounds before the first that counts, because real processes run for hours and are compiled by then. */
const WARM_UP_ROUNDS = 8
const INSERTS = 400
const MAX_TRIES = 10
const here = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Eight processes claim and complete, two decisions per task, while `senders` others send as fast as they can. */
export function openDecisionRate({ tasks, senders = 0 }) {
  return withServer(async (server) => {
    await query(server, 'create table bare (n bigint generated always as identity primary key, body text not null)')
    const bare = startWorkers(here('./workers/bare-inserter.mjs'), DECIDERS)
    const members = startWorkers(here('./workers/member.mjs'), DECIDERS + senders)
    const names = Array.from({ length: DECIDERS + senders }, (_, i) => `m${i}`)
    let boards = 0

    async function workThrough() {
      const schema = `board${boards++}`
      const url = await createTeam(server, schema, { members: names, tasks })
      const ours = await members.run(names.map((name, i) => ({ url, name, sends: i >= DECIDERS })))
      if (ours.done !== tasks) throw new Error(`${ours.done} tasks were completed instead of ${tasks}`)
      const [{ tries }] = await query(
        server,
        `select coalesce(max((body::json ->> 'tries')::int), 0) + 1 as tries from ${schema}.records`,
      )
      if (tries > MAX_TRIES) throw new Error(`a decision needed ${tries} tries`)
      if (failedAppends(server) > 0) throw new Error(`${failedAppends(server)} appends failed and were retried`)
      return 2 * ours.perSecond
    }

    const insert = () => bare.run(names.slice(0, DECIDERS).map(() => ({ url: server.url, count: INSERTS })))

    for (let i = 0; i < WARM_UP_ROUNDS; i++) {
      await insert()
      await workThrough()
    }
    return {
      async round() {
        const limit = await insert()
        return { ours: await workThrough(), limit: limit.perSecond }
      },
      close: () => Promise.all([bare.close(), members.close()]),
    }
  })
}
