import { expect, it } from 'vitest'
import { commandHarness } from '../cli/command-harness.ts'
import { useDatabase } from '../postgres/database.ts'
import { readPage } from './page.ts'

const page = readPage('docs/many-machines.md')
const database = useDatabase()

it('docs/many-machines.md lists the existing tables and columns, and its query runs', async () => {
  const cli = commandHarness()
  cli.env.DESKMATES_STORE = database.server.url
  try {
    await cli.ok('team create web')
    await cli.ok(['task', 'add', 'Write the parser', '--team', 'web'])
  } finally {
    cli.close()
  }
  const there = await database.sql(
    `select table_name as name, string_agg(column_name, ', ' order by ordinal_position) as columns
     from information_schema.columns where table_schema = 'deskmates' group by 1 order by 1`,
  )
  const rows = [...page.text.matchAll(/^\| `(\w+)` \| (\w+(?:, \w+)*) \|/gm)]
  const documented = rows.map(([, name = '', columns = '']) => ({ name, columns }))
  expect(documented.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(there)
  const [query = ''] = page.blocks('sql')
  expect((await database.sql(query)).map(({ by, event }) => [by, event])).toEqual([
    ['user', 'task.created'],
    ['user', 'team.created'],
  ])
})
