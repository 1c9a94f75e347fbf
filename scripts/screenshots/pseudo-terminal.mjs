import { spawn } from 'node:child_process'
import xterm from '@xterm/headless'

const GIVE_UP_MS = 150_000
const LOOK_EVERY_MS = 50

/** Runs a command line on a pseudo-terminal (`script` of util-linux) whose screen can be read. */
export function openPseudoTerminal(command, { cwd, env, columns, rows }) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const line = `stty cols ${columns} rows ${rows}; exec ${command}`
  const child = spawn('script', ['-qfec', line, '/dev/null'], { cwd, env })
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  ended.catch(() => {})
  child.stdin.on('error', () => {})
  child.stdout.on('data', (piece) => terminal.write(piece))
  // What a terminal answers when a program asks it what it can do.
  terminal.onData((answer) => child.stdin.write(answer))

  const lines = () =>
    Array.from({ length: rows }, (_, y) => terminal.buffer.active.getLine(terminal.buffer.active.baseY + y))
  const text = () =>
    lines()
      .map((line) => line?.translateToString(true) ?? '')
      .join('\n')
  return {
    /** The cells of the screen, row by row. */
    cells: () => lines().map((line) => Array.from({ length: columns }, (_, x) => line?.getCell(x))),
    type: (keys) => void child.stdin.write(keys),
    async sees(...wanted) {
      const giveUpAt = performance.now() + GIVE_UP_MS
      while (!wanted.every((one) => (typeof one === 'string' ? text().includes(one) : one.test(text())))) {
        if (performance.now() > giveUpAt || child.exitCode !== null)
          throw new Error(`The screen never showed ${wanted.join(', ')}:\n${text()}`)
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      }
    },
    async close() {
      child.kill('SIGTERM')
      await ended.catch(() => {})
    },
  }
}
