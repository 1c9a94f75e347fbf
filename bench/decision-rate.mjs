import { fileURLToPath } from 'node:url'
import { openCrowd } from './crowd.mjs'
import { ask, failures, makeTeam, withServer } from './postgres.mjs'

const DECIDERS = 8
/** Boards, and rounds of inserts, that are worked through before the first that counts: a team lives for hours. */
const WARM = 8
const INSERTS = 400
const MOST_TRIES = 10
const here = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Eight processes claim and complete, two decisions a task, while `mailers` others send as fast as they can. */
export function openDecisionRate({ tasks, mailers = 0 }) {
  return withServer(async (server) => {
    await ask(server, 'create table bare (n bigint generated always as identity primary key, body text not null)')
    const bare = openCrowd(here('./workers/postgres-inserter.mjs'), DECIDERS)
    const desks = openCrowd(here('./workers/postgres-desk.mjs'), DECIDERS + mailers)
    const names = Array.from({ length: DECIDERS + mailers }, (_, i) => `m${i}`)
    let boards = 0

    async function workThrough() {
      const schema = `board${boards++}`
      const url = await makeTeam(server, schema, { members: names, tasks })
      const ours = await desks.run(names.map((name, i) => ({ url, name, sends: i >= DECIDERS })))
      if (ours.done !== tasks) throw new Error(`${ours.done} tasks were completed instead of ${tasks}`)
      const [{ tries }] = await ask(
        server,
        `select coalesce(max((body::json ->> 'tries')::int), 0) + 1 as tries from ${schema}.records`,
      )
      if (tries > MOST_TRIES) throw new Error(`a decision needed ${tries} tries`)
      if (failures(server) > 0) throw new Error(`${failures(server)} appends failed and had to be sent again`)
      return 2 * ours.perSecond
    }

    const insert = () => bare.run(names.slice(0, DECIDERS).map(() => ({ url: server.url, count: INSERTS })))

    for (let i = 0; i < WARM; i++) {
      await insert()
      await workThrough()
    }
    return {
      async round() {
        const limit = await insert()
        return { ours: await workThrough(), limit: limit.perSecond }
      },
      close: () => Promise.all([bare.close(), desks.close()]),
    }
  })
}
