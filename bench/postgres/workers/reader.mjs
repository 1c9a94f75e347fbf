// Several handles of one process follow a log. Reports for each message when each handle saw it.
import { openPostgresStore } from '../../../dist/index.js'

const [url, count] = process.argv.slice(2)
const store = await openPostgresStore({ url })
const stop = new AbortController()
const seen = new Map()
process.on('disconnect', async () => {
  stop.abort()
  await store[Symbol.asyncDispose]()
})

for (let i = 0; i < Number(count); i++) {
  const log = await store.log('bench/journal', { longTexts: true })
  void follow(log)
}

async function follow(log) {
  for await (const batch of log.tail({ seq: 0, id: '', last: '' }, stop.signal)) {
    const at = String(process.hrtime.bigint())
    for (const { record } of batch) {
      const times = [...(seen.get(record.id) ?? []), at]
      seen.set(record.id, times)
      if (times.length === Number(count) && process.connected) process.send({ id: record.id, at: times })
    }
  }
}
