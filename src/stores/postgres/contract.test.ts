import { afterAll, beforeAll } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../test/postgres/server.mjs'
import { commandSequences } from '../../testing/command-sequences.ts'
import type { OpenStore } from '../../testing/read-all.ts'
import { storeContract } from '../../testing/store-contract.ts'
import { teamContract } from '../../testing/team-contract.ts'
import { openPostgresStore } from './postgres-store.ts'

let server: PostgresServer
let places = 0
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** Each place is a schema of its own. */
async function makePlace(): Promise<OpenStore> {
  const url = `${server.url}?schema=place${places++}`
  return (options) => openPostgresStore({ url, ...options })
}

storeContract('the PostgreSQL store', makePlace)
teamContract('PostgreSQL', makePlace)
commandSequences('PostgreSQL', makePlace, 10)
