import type { Terminal } from '@earendil-works/pi-tui'
import xterm from '@xterm/headless'

export interface VirtualTerminal extends Terminal {
  /** Gives one key, or one paste, to the program. */
  press(data: string): void
  resize(columns: number, rows: number): void
  /** The rows of the screen as a person sees them, without spaces at the end. */
  screen(): Promise<string[]>
  /** The same with everything that scrolled away above. */
  everything(): Promise<string[]>
  /** All that was written, as it was written. */
  readonly written: string
  /** UTF-8 bytes that were written; what was written is kept only up to a bound. */
  readonly bytes: number
}

const MAX_KEPT = 2_000_000

/** A terminal in memory that understands escape sequences as xterm does. */
export function virtualTerminal(columns = 80, rows = 24): VirtualTerminal {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true })
  let [onInput, onResize] = [(_: string) => {}, () => {}]
  let [written, bytes] = ['', 0]
  const flushed = () => new Promise<void>((resolve) => terminal.write('', resolve))
  const lines = (from: number) => {
    const { active } = terminal.buffer
    return Array.from({ length: active.length - from }, (_, i) => active.getLine(from + i)!.translateToString(true))
  }
  function write(data: string): void {
    if (written.length < MAX_KEPT) written += data
    bytes += Buffer.byteLength(data)
    terminal.write(data)
  }
  return {
    start(input, resize) {
      onInput = input
      onResize = resize
    },
    stop() {},
    async drainInput() {},
    write,
    get columns() {
      return terminal.cols
    },
    get rows() {
      return terminal.rows
    },
    kittyProtocolActive: false,
    moveBy: (count) => write(count > 0 ? `\x1b[${count}B` : `\x1b[${-count}A`),
    hideCursor: () => write('\x1b[?25l'),
    showCursor: () => write('\x1b[?25h'),
    clearLine: () => write('\x1b[K'),
    clearFromCursor: () => write('\x1b[J'),
    clearScreen: () => write('\x1b[2J\x1b[H'),
    setTitle() {},
    setProgress() {},
    press: (data) => onInput(data),
    resize(newColumns, newRows) {
      terminal.resize(newColumns, newRows)
      onResize()
    },
    async screen() {
      await flushed()
      return lines(terminal.buffer.active.baseY)
    },
    async everything() {
      await flushed()
      return lines(0)
    },
    get written() {
      return written
    },
    get bytes() {
      return bytes
    },
  }
}
