// The limit: one write and one fdatasync per record, nothing else.
import fs from 'node:fs'

const [, , file, count] = process.argv
const fd = fs.openSync(file, 'a')
const record = Buffer.from(`\n${'x'.repeat(330)}\n`)
process.send('ready')
await new Promise((resolve) => process.once('message', resolve))
for (let i = 0; i < Number(count); i++) {
  fs.writeSync(fd, record)
  fs.fdatasyncSync(fd)
}
process.send({ done: Number(count) })
process.disconnect()
