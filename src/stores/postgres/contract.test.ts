import { useDatabase } from '../../../test/postgres/database.ts'
import { commandSequences } from '../../testing/contracts/command-sequences.ts'
import type { OpenStore } from '../../testing/contracts/read-all.ts'
import { storeContract } from '../../testing/contracts/store-contract.ts'
import { teamContract } from '../../testing/contracts/team-contract.ts'
import { openPostgresStore } from './store.ts'

const database = useDatabase()

async function makePlace(): Promise<OpenStore> {
  const { url } = database.place()
  return (options) => openPostgresStore({ url, ...options })
}

storeContract('the PostgreSQL store', makePlace)
teamContract('PostgreSQL', makePlace)
commandSequences('PostgreSQL', makePlace, 20)
