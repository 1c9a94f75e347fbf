import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { openFileStore } from '../../src/stores/files/store.ts'
import { readAll } from '../../src/testing/contracts/read-all.ts'
import { buildWorkers } from './fleet.ts'

beforeAll(buildWorkers)

it('mixes no lines of processes that write 1 MB and a few bytes at once', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-writers-'))
  const writers = [
    { name: 'big', count: 20, size: 1024 * 1024 },
    { name: 'small', count: 150, size: 20 },
    { name: 'other', count: 150, size: 300 },
  ]
  const codes = await Promise.all(
    writers.map(async ({ name, count, size }) => {
      const child = fork('.build/test/record-writer.js', [dir, name, String(count), String(size)])
      const [code] = await once(child, 'exit')
      return code
    }),
  )
  expect(codes).toEqual([0, 0, 0])

  await using store = await openFileStore({ dir })
  const log = await store.log('web/journal')
  const records = (await readAll(log)).map(({ record }) => record)
  expect(log.faults()).toEqual([])
  const decisions = records.filter(({ after }) => after !== undefined)
  expect(decisions.map(({ after }) => after)).toEqual(['', ...decisions.map(({ id }) => id).slice(0, -1)])
  for (const { name, count } of writers) {
    const theirs = decisions.map(({ id }) => id).filter((id) => id.startsWith(name))
    expect(theirs).toEqual(Array.from({ length: count }, (_, number) => `${name}-${number}-decision`))
  }
  rmSync(dir, { recursive: true })
}) // A70, F1, F22, F34
