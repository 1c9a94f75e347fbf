import postgres from 'postgres'
import { afterAll, beforeAll } from 'vitest'
import { type PostgresServer, startPostgres } from './server.mjs'

/** A server for all tests of a file, and a way to look into it behind the store's back. */
export interface Database {
  readonly server: PostgresServer
  /** A new schema that no other test uses, and its address. */
  place(parameters?: string): { readonly url: string; readonly schema: string }
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it asked for
  sql(text: string): Promise<any[]>
}

export function useDatabase(settings: Readonly<Record<string, string | number>> = {}): Database {
  let server: PostgresServer
  let places = 0
  beforeAll(async () => {
    server = await startPostgres({ settings })
  })
  afterAll(() => server.stop())
  return {
    get server() {
      return server
    },
    place(parameters = '') {
      const schema = `place${places++}`
      return { url: `${server.url}?schema=${schema}${parameters}`, schema }
    },
    sql: (text) => askOnce(server.url, text),
  }
}

/** On a connection of its own, which is closed again. */
export async function askOnce(url: string, text: string) {
  const sql = postgres(url, { max: 1, onnotice() {}, fetch_types: false })
  try {
    return [...(await sql.unsafe(text))]
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** A connection that is kept, for more than one statement. */
export async function openClient(url: string) {
  const sql = postgres(url, { max: 1, onnotice() {}, fetch_types: false })
  return {
    run: (text: string, parameters: readonly (string | null)[] = []) =>
      sql.unsafe(text, parameters as string[], { prepare: false }),
    close: () => sql.end({ timeout: 1 }),
  }
}
