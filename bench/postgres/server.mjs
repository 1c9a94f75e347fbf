import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { openPostgresStore, openTeam } from '../../dist/index.js'
import { startPostgres } from '../../test/postgres/server.mjs'

/** Starts a server for one row. Where none can be started, the row says why. */
export async function withServer(use) {
  let server
  try {
    server = await startPostgres()
  } catch (error) {
    return { unavailable: `no PostgreSQL could be started (${error.message.split('\n')[0]})` }
  }
  try {
    const { round, close } = await use(server)
    return {
      round,
      async close() {
        await close()
        await server.stop()
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Creates the team `bench` in its own schema and returns the URL. */
export async function createTeam(server, schema, { members, tasks }) {
  const url = `${server.url}?schema=${schema}`
  const store = await openPostgresStore({ url })
  const team = await openTeam(store, 'bench')
  await team.run({ type: 'team.create', team: 'bench' })
  for (const name of members) await team.run({ type: 'member.join', name, role: 'dev' })
  await team.run({ type: 'task.add', tasks: Array.from({ length: tasks }, (_, i) => ({ subject: `task ${i}` })) })
  await team.close()
  await store[Symbol.asyncDispose]()
  return url
}

export async function query(server, text) {
  const sql = postgres(server.url, { max: 1, onnotice() {}, fetch_types: false })
  try {
    return [...(await sql.unsafe(text))]
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Appends that failed on the server so far; its log has the statement of each. */
export function failedAppends(server) {
  const log = readFileSync(join(server.folder, 'log'), 'utf8')
  return [...log.matchAll(/STATEMENT: +select \* from \w+\.append\(/g)].length
}
