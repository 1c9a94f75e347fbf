// The limit: one write and one fdatasync per record, nothing else.
import fs from 'node:fs'
import { takePart } from './rounds.mjs'

const record = Buffer.from(`\n${'x'.repeat(330)}\n`)

await takePart(({ file, count }) => {
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
