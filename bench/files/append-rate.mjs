import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openFileStore } from '../../dist/index.js'
import { withTeam } from './temporary-team.mjs'

const RECORDS = 500
const text = 'x'.repeat(250)

/** Appends per second of one process, one record at a time, each acknowledged when it is durable. */
export function appendRates() {
  return withTeam({}, async (dir) => {
    const store = await openFileStore({ dir })
    const log = await store.log('bench/journal')
    const ours = await rate(async (i) => (await log.append([{ id: `record-${i}`, text }])).durable)
    await store[Symbol.asyncDispose]()
    const fd = openSync(join(dir, 'bare'), 'a')
    const record = Buffer.from(`\n${'x'.repeat(330)}\n`)
    const limit = await rate(() => {
      writeSync(fd, record)
      fdatasyncSync(fd)
    })
    closeSync(fd)
    return { ours, limit }
  })
}

async function rate(append) {
  const begin = performance.now()
  for (let i = 0; i < RECORDS; i++) await append(i)
  return (1000 * RECORDS) / (performance.now() - begin)
}
