import { Editor, setCapabilities, type Terminal } from '@earendil-works/pi-tui'
import { type AlarmClock, systemClock } from '../journal/clock.ts'
import { emptyView } from '../view/view.ts'
import { editorLines } from './drawing/editor-lines.ts'
import { StoppableTerminal } from './drawing/process-terminal.ts'
import { type Frame, ScrollbackTui } from './drawing/scrollback-tui.ts'
import { editorTheme } from './drawing/theme.ts'
import type { ProjectKnowledge } from './host.ts'
import { arrange, footerLine, headerLine, KEYS_ALONE } from './layout.ts'

export interface PaintedPromptOptions extends Pick<ProjectKnowledge, 'project' | 'budget' | 'env'> {
  readonly clock?: AlarmClock
  /** By default that of the process. */
  readonly terminal?: Terminal
}

/**
 * painting  the prompt of a session that is not loaded yet: what is typed stands in the editor, other keys are kept
 * taken     the screen of the session draws, and got the keys; it ends the prompt
 * closed    there is no session: nothing of the prompt is left on the terminal
 *
 * It imports only what the first frame needs. `test/terminal/first-paint.test.ts` lists what must not be loaded for it.
 */
export class PaintedPrompt {
  readonly tui: ScrollbackTui
  readonly editor: Editor
  readonly #options: PaintedPromptOptions
  readonly #kept: string[] = []
  #state: 'new' | 'painting' | 'taken' | 'closed' = 'new'
  #onPainted = () => {}
  #stopKeeping = () => {}

  constructor(options: PaintedPromptOptions) {
    // Links of a model are drawn with their address; an address behind other words would deceive.
    setCapabilities({ images: null, trueColor: false, hyperlinks: false })
    this.#options = options
    const terminal = options.terminal ?? new StoppableTerminal()
    this.tui = new ScrollbackTui(terminal, (columns, rows) => this.#frame(columns, rows), !options.env.NO_COLOR)
    this.editor = new Editor(this.tui, editorTheme)
    this.tui.setFocus(this.editor)
  }

  /** No screen has taken it, and none will if it is closed. */
  get isWaiting(): boolean {
    return this.#state === 'painting'
  }

  /** Resolves when the prompt can be seen. */
  paint(): Promise<void> {
    this.#state = 'painting'
    this.#stopKeeping = this.tui.addInputListener((data) => {
      // The first key that may mean more than a letter waits for its meaning, and all that follow wait behind it.
      if (this.#kept.length === 0 && PLAIN_TEXT.test(data)) return undefined
      this.#kept.push(data)
      return { consume: true }
    })
    return new Promise((resolve) => {
      this.#onPainted = resolve
      this.tui.start()
    })
  }

  /** The screen of the session draws from now on. Keys that were typed before mean what they mean there. */
  take(draw: (columns: number, rows: number) => Frame): void {
    const wasPainted = this.isWaiting
    this.#state = 'taken'
    this.#stopKeeping()
    this.tui.drawWith(draw)
    if (wasPainted) this.tui.requestRender()
    else this.tui.start()
    for (const key of this.#kept.splice(0)) this.tui.type(key)
  }

  /** Leaves the terminal as it was, for a question, an error or the end; without effect once it was taken. */
  close(): void {
    if (!this.isWaiting) return
    this.#state = 'closed'
    this.#stopKeeping()
    this.tui.erase()
    this.#onPainted()
  }

  #frame(columns: number, rows: number): Frame {
    setImmediate(this.#onPainted)
    const { clock = systemClock } = this.#options
    const view = emptyView()
    const { lines } = arrange(
      {
        ...{ open: [], status: [], panel: [], card: [], below: [] },
        header: headerLine(view, this.#options, clock.now(), columns),
        editor: editorLines(this.editor, columns),
        footer: footerLine(undefined, KEYS_ALONE, view, columns),
      },
      rows,
    )
    return { finished: [], live: lines, coversScreen: false }
  }
}

/** Text without a control, and without the signs that begin a command, a name or a file. */
const PLAIN_TEXT = /^[^\p{C}/@!#]+$/u
