import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sideFile } from '../storms/side-file.ts'

/**
 * A program that knows nothing of us and leaves lines in a mailbox file. `append` writes each in one call; `slow` keeps
 * the file open while others rename it away, and writes a line in pieces, like a tool that flushes a small buffer.
 */
const [file = '', beliefs = '', name = '', how = 'append', count = '0'] = process.argv.slice(2)
process.on('disconnect', () => process.exit(0))
const note = sideFile(`${beliefs}/left-${name}`)

for (let n = 0, fd = -1; n < Number(count); n++) {
  const line = `${JSON.stringify({ type: 'message', from: name, content: `${name}-${n} "é\u2028"` })}\n`
  if (how === 'append') {
    appendFileSync(file, line)
    if (n % 20 === 0) await sleep(5)
  } else {
    if (n % 7 === 0) {
      if (fd >= 0) closeSync(fd)
      fd = openSync(file, 'a')
    }
    const bytes = Buffer.from(line)
    for (let at = 0; at < bytes.length; at += 25) {
      writeSync(fd, bytes.subarray(at, at + 25))
      await sleep(3)
    }
  }
  note(`${name}-${n}`)
}
process.exit(0)
