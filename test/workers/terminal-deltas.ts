import type { Terminal } from '@earendil-works/pi-tui'
import { runTerminal } from '../../src/terminal/run-terminal.ts'
import { fakeSessionControl } from '../../src/testing/terminal/fake-session-control.ts'

/** Streams so many deltas through the terminal as fast as they can be read, and prints what that took as JSON. */
const deltas = Number(process.argv[2])
const collect = (globalThis as { gc?: () => void }).gc!
const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

let bytes = 0
const terminal: Terminal = {
  ...{ columns: 80, rows: 24, kittyProtocolActive: false },
  start() {},
  stop() {},
  async drainInput() {},
  write(data) {
    bytes += Buffer.byteLength(data)
  },
  ...{ moveBy() {}, hideCursor() {}, showCursor() {}, clearLine() {}, clearFromCursor() {}, clearScreen() {} },
  ...{ setTitle() {}, setProgress() {} },
}
const control = fakeSessionControl(() => Date.now() / 1000)
void runTerminal({
  ...{ control, terminal, commandFolders: [] },
  knowledge: {
    ...{
      project: 'shop',
      root: '/shop',
      version: '0.1.0',
      cwd: '/nowhere',
      env: {},
      budget: 5,
      skills: [],
      agentTypes: [],
    },
    sessions: async () => [],
    isAttached: false,
    resumeCommand: () => 'deskmates -r s1',
  },
})
await pause()
control.run('working')
const parts = Array.from({ length: deltas }, (_, i) => (i % 200 === 199 ? '.\n\n' : i % 7 === 6 ? 'a, ' : 'wo '))
const text = parts.join('')
let heapAtTenth = 0
for (let i = 0; i < deltas; i++) {
  control.delta('lead', parts[i]!)
  if (i % 50 === 49) await pause()
  if (i === deltas / 10) heapAtTenth = await heap()
}
control.says('lead', { type: 'text', text })
control.run('settled')
const heapAtEnd = await heap()
process.stdout.write(`${JSON.stringify({ heapAtTenth, heapAtEnd, bytes, textBytes: Buffer.byteLength(text) })}\n`)
process.exit(0)

/** After the frames that are due, without garbage. */
async function heap(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 300))
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
