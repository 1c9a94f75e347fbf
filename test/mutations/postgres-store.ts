import type { Mutation } from './mutation.ts'

const postgres = 'test/postgres/promises.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'next-number-without-lock',
    mistake: 'Two writers look up the next number without a lock and want the same one',
    file: 'src/stores/postgres/schema/append-function.ts',
    old: 'export function appendFunction(schema: string): string {\n',
    new: "export function appendFunction(schema: string): string {\n  return withLocks(schema).replaceAll('for update', '')\n}\n\nfunction withLocks(schema: string): string {\n",
    also: [
      {
        file: 'src/stores/postgres/connection/failures.ts',
        old: "return code === '40001' || code === '40P01'",
        new: "return code === '40001' || code === '40P01' || code === '23505'",
      },
    ],
    test: postgres,
    fails: 'appends a record in one attempt',
  },
  {
    name: 'numbers-from-a-sequence',
    mistake: 'Numbers come from a sequence, so a reader misses a lower number that is committed later',
    file: 'src/stores/postgres/schema/append-function.ts',
    old: 'export function appendFunction(schema: string): string {\n',
    new: "export function appendFunction(schema: string): string {\n  const unlocked = withLocks(schema).replaceAll('for update', '')\n  const numbered = unlocked.replace('h.seq + 1', `nextval('${schema}.numbers')`).replace('if v_moved then', 'if false then')\n  return `create sequence ${schema}.numbers; ${numbered}`\n}\n\nfunction withLocks(schema: string): string {\n",
    also: [
      {
        file: 'src/stores/postgres/log/reader.ts',
        old: '    async read(from, form) {\n',
        new: '    async read(from, form) {\n      if (from) return bounded(storedIn(await ask(from)), form)\n',
      },
    ],
    test: postgres,
    fails: 'shows a record to every reader',
  },
  {
    name: 'notify-only',
    mistake: 'A reader finds new records only when a notification arrives',
    file: 'src/stores/postgres/log/reader.ts',
    old: 'const timer = setInterval(() => fetchNew(from), poll)',
    new: 'const timer = undefined',
    test: postgres,
    fails: 'finds a new record by polling',
  },
  {
    name: 'new-ids-after-a-lost-answer',
    mistake: 'When an answer is lost, the records are sent again under new ids',
    file: 'src/stores/postgres/log/writer.ts',
    old: '    let wasLost = false\n',
    new: '    const connection = await pool.take()\n    try {\n      return await connection.run(statements.append, parameters)\n    } catch {\n      batch.splice(0, batch.length, ...prepare(records.map((record) => ({ ...record, id: `${record.id}-again` }))))\n      return await pool.ask(statements.append, parametersOf(batch))\n    } finally {\n      pool.give(connection)\n    }\n    let wasLost = false\n',
    test: postgres,
    fails: 'appends a record once, under its own id',
  },
  {
    name: 'cursor-by-number',
    mistake: 'After a failover a reader continues behind the number it had reached, whatever record has it',
    file: 'src/stores/postgres/log/reader.ts',
    old: 'if (from.seq > 0 && head.at_id !== from.id) {',
    new: 'if (from.seq > 0 && head.at_id === null) {',
    test: postgres,
    fails: 'refuses a cursor whose record was replaced',
  },
  {
    name: 'lock-released-by-an-old-timer',
    mistake: 'The timer of an earlier lock releases the next one before its decision is written',
    file: 'src/stores/postgres/log/head-row-lock.ts',
    old: '    clearTimeout(held?.timer)\n',
    new: '',
    test: 'src/stores/postgres/log/head-row-lock.test.ts',
    fails: 'is released after 200 ms',
  },
  {
    name: 'lock-never-released',
    mistake: 'A process that took the lock and has nothing to write blocks all others',
    file: 'src/stores/postgres/log/head-row-lock.ts',
    old: 'setTimeout(release, MAX_HELD_MS)',
    new: 'setTimeout(() => {}, MAX_HELD_MS)',
    test: 'src/stores/postgres/log/head-row-lock.test.ts',
    fails: 'is released after 200 ms',
  },
  {
    name: 'lock-keeps-its-connection',
    mistake: 'Each append under the lock takes a connection out of the pool for good',
    file: 'src/stores/postgres/log/head-row-lock.ts',
    old: '      pool.give(connection)\n      if (appended',
    new: '      if (appended',
    test: 'src/stores/postgres/log/head-row-lock.test.ts',
    fails: 'is held from reading to writing',
  },
]
