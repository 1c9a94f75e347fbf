import { type Terminal, TUI, visibleWidth } from '@earendil-works/pi-tui'
import { cutToColumns } from './columns.ts'
import { type Drawn, SGR } from './drawn.ts'
import { type NoticeMode, noticeSequence } from './notices.ts'

/** Finished text: it is drawn once and then belongs to the terminal's scrollback. */
export interface Block {
  lines(columns: number): readonly Drawn[]
}

/** What a frame shows. */
export interface Frame {
  /** Finished since the last frame; it is printed above the live lines. */
  readonly finished: readonly Block[]
  /** Redrawn with every frame: at most so many as the screen has rows. */
  readonly live: readonly Drawn[]
  /** The live lines fill the screen, and finished text waits until they do not. */
  readonly coversScreen: boolean
}

/** After a resize the screen is filled from these again. */
const MAX_RECENT_BLOCKS = 200

/**
 * pi-tui's differential painter for a short live area below finished text. pi-tui redraws everything it ever drew when the
 * terminal is resized, and clears the scrollback then; here finished lines are given to it once, as the lines above the
 * live area, and it forgets them when they are written. So a long session costs no more per frame than a new one.
 */
export class ScrollbackTui extends TUI {
  #draw: (columns: number, rows: number) => Frame
  readonly #hasColours: boolean
  readonly #recent: Block[] = []
  readonly #unwritten: Block[] = []
  readonly #count: { written: number }
  #size = ''
  #isRepainting = false
  /** What the painter knew of the screen that is covered now. */
  #covered: Painted | undefined

  constructor(terminal: Terminal, draw: (columns: number, rows: number) => Frame, hasColours: boolean) {
    const count = { written: 0 }
    super(keepingScrollback(terminal, count))
    this.#draw = draw
    this.#hasColours = hasColours
    this.#count = count
  }

  /** Characters that were written to the terminal. */
  get written(): number {
    return this.#count.written
  }

  /** Another owner draws from now on; what is on the screen is compared with its first frame. */
  drawWith(draw: (columns: number, rows: number) => Frame): void {
    this.#draw = draw
  }

  /** As if this key had been typed now. */
  type(data: string): void {
    ;(this as unknown as Painter).handleInput(data)
  }

  print(block: Block): void {
    this.#unwritten.push(block)
    this.requestRender()
  }

  /** Rings, and asks the desktop to show the text. */
  notify(text: string, mode: NoticeMode, env: NodeJS.ProcessEnv): void {
    this.terminal.write(noticeSequence(text, mode, env))
  }

  /** Draws the whole screen anew. */
  repaint(): void {
    this.#isRepainting = true
    this.requestRender(true)
  }

  /** Something covers the screen from now on: on the terminal's second screen, so that nothing of it stays in the scrollback. */
  cover(): void {
    if (this.#covered) return this.requestRender(true)
    const painter = this as unknown as Painter
    this.#covered = Object.fromEntries(PAINTED.map((name) => [name, painter[name]])) as unknown as Painted
    this.terminal.write(SECOND_SCREEN_ON)
    this.requestRender(true)
  }

  /** The first screen is back as it was, and is drawn on from there; after a resize it is drawn anew. */
  uncover(): void {
    const painted = this.#covered
    if (!painted) return
    this.#covered = undefined
    this.terminal.write(SECOND_SCREEN_OFF)
    const { columns, rows } = this.terminal
    const isPainted = painted.previousWidth > 0
    if (isPainted && (painted.previousWidth !== columns || painted.previousHeight !== rows)) return this.repaint()
    Object.assign(this, painted)
    this.#isRepainting = false
    this.requestRender()
  }

  override start(): void {
    // Where a terminal counts more columns than we do, a line ends at the edge instead of moving all below it.
    this.terminal.write(AUTOWRAP_OFF)
    super.start()
  }

  override stop(): void {
    super.stop()
    this.terminal.write(`${this.#covered ? SECOND_SCREEN_OFF : ''}${AUTOWRAP_ON}`)
    this.#covered = undefined
  }

  /** A line behind the last frame that the terminal wraps: a command that is cut cannot be copied. */
  writeBehind({ bare }: Drawn): void {
    this.terminal.write(`${bare}\r\n`)
  }

  /** Takes the live lines off the screen and stops: the cursor is where they began. */
  erase(): void {
    const painter = this as unknown as Painter
    const up = painter.hardwareCursorRow
    if (painter.previousLines.length > 0) this.terminal.write(`\r${up > 0 ? `\x1b[${up}A` : ''}\x1b[J`)
    painter.previousLines = []
    this.stop()
  }

  override render(columns: number): string[] {
    const { rows } = this.terminal
    const size = `${columns}x${rows}`
    const isCleared = this.#isRepainting || (this.#size !== '' && this.#size !== size)
    this.#size = size
    this.#isRepainting = false
    const { finished, live: all, coversScreen } = this.#draw(columns, rows)
    this.#unwritten.push(...finished)
    const live = all.slice(-rows)
    const above = coversScreen ? [] : this.#takeAbove(columns, isCleared ? rows - live.length : 0)
    if (above.length > 0) queueMicrotask(() => this.#forget(above.length))
    return [...above, ...live].map(({ ansi }) => this.#allowed(ansi, columns))
  }

  /** New finished lines; on a cleared screen as many of those before them as fit. */
  #takeAbove(columns: number, free: number): readonly Drawn[] {
    const before = this.#lastLines(columns, free)
    const fresh = this.#unwritten.splice(0)
    this.#recent.push(...fresh)
    this.#recent.splice(0, this.#recent.length - MAX_RECENT_BLOCKS)
    return [...before, ...fresh.flatMap((block) => block.lines(columns))]
  }

  /** Whatever a component returns: colours, the mark of the cursor, and no more than a line. pi-tui throws at wider lines. */
  #allowed(line: string, columns: number): string {
    const clean = line.replace(FORBIDDEN, '')
    const bare = this.#hasColours ? clean : clean.replace(SGR, (sequence) => (KEPT.has(sequence) ? sequence : ''))
    return visibleWidth(bare) <= columns ? bare : `${cutToColumns(bare, columns)}\x1b[0m`
  }

  #lastLines(columns: number, rows: number): readonly Drawn[] {
    let lines: Drawn[] = []
    for (let i = this.#recent.length - 1; i >= 0 && lines.length < rows; i--)
      lines = [...this.#recent[i]!.lines(columns), ...lines]
    return lines.slice(Math.max(0, lines.length - rows))
  }

  /** The painter has written these lines and compares the next frame only with those below them. */
  #forget(count: number): void {
    const painter = this as unknown as Painter
    painter.previousLines = painter.previousLines.slice(count)
    painter.cursorRow = Math.max(0, painter.cursorRow - count)
    painter.hardwareCursorRow = Math.max(0, painter.hardwareCursorRow - count)
    painter.previousViewportTop = Math.max(0, painter.previousViewportTop - count)
    painter.maxLinesRendered = Math.max(0, painter.maxLinesRendered - count)
  }
}

/** Members of pi-tui 0.74.2 that its types call private; the version is pinned, and the screen tests fail without them. */
interface Painter extends Painted {
  handleInput(data: string): void
}

/** What the painter knows of the screen. */
interface Painted {
  previousLines: string[]
  cursorRow: number
  hardwareCursorRow: number
  previousViewportTop: number
  maxLinesRendered: number
  previousWidth: number
  previousHeight: number
}
const PAINTED = [
  ...(['previousLines', 'cursorRow', 'hardwareCursorRow', 'previousViewportTop'] as const),
  ...(['maxLinesRendered', 'previousWidth', 'previousHeight'] as const),
]

/** The scrollback is the user's: a resize clears the screen only. */
function keepingScrollback(terminal: Terminal, count: { written: number }): Terminal {
  const write = (data: string) => {
    const kept = data.replaceAll(CLEAR_ALL, CLEAR_SCREEN)
    count.written += kept.length
    terminal.write(kept)
  }
  return new Proxy(terminal, {
    get(target, name) {
      if (name === 'write') return write
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const CLEAR_ALL = '\x1b[2J\x1b[H\x1b[3J'
const CLEAR_SCREEN = '\x1b[2J\x1b[H'
const SECOND_SCREEN_ON = '\x1b[?1049h'
const SECOND_SCREEN_OFF = '\x1b[?1049l'
const AUTOWRAP_OFF = '\x1b[?7l'
const AUTOWRAP_ON = '\x1b[?7h'
/** Inverse video shows the cursor, also without colours. */
const KEPT = new Set(['\x1b[7m', '\x1b[27m', '\x1b[0m'])
// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
/** Controls, and escapes that begin neither a colour nor the mark of the cursor. */
const FORBIDDEN = /\x1b(?!\[[\d;]*m|_pi:c\x07)|(?<!\x1b_pi:c)\x07|[\x00-\x06\x08-\x1a\x1c-\x1f\x7f-\x9f]/g
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
