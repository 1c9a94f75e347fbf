// The limit: one write and one fdatasync per record, nothing else.
import fs from 'node:fs'
import { runRounds } from '../../worker-rounds.mjs'

const record = Buffer.from(`\n${'x'.repeat(330)}\n`)

await runRounds(({ file, count }) => {
  const fd = fs.openSync(file, 'a')
  return () => {
    for (let i = 0; i < count; i++) {
      fs.writeSync(fd, record)
      fs.fdatasyncSync(fd)
    }
    fs.closeSync(fd)
    return count
  }
})
