import type { Editor } from '@earendil-works/pi-tui'
import type { AlarmClock } from '../journal/clock.ts'
import type { SessionControl } from '../session/control/session-control.ts'
import type { TimedLine } from '../session/wire/live-line.ts'
import { applyLine } from '../view/apply-line.ts'
import type { Need } from '../view/needs-person.ts'
import { emptyView } from '../view/view.ts'
import { Notices } from './announcements.ts'
import { recallPrompts } from './conversation/recall-prompts.ts'
import { type Drawn, draw, EMPTY, paint } from './drawing/drawn.ts'
import { editorLines } from './drawing/editor-lines.ts'
import type { NoticeMode } from './drawing/notices.ts'
import type { Frame, ScrollbackTui } from './drawing/scrollback-tui.ts'
import { wrappedLines } from './drawing/text-lines.ts'
import { followLater } from './feed.ts'
import { FinishedBlocks, leadEntries } from './finished-blocks.ts'
import { type Host, memberNames, type ProjectKnowledge, type TerminalExit, tell } from './host.ts'
import { createCompletion } from './input/completion.ts'
import { runOwnCommand } from './input/own-command.ts'
import { type Cover, KeyActions } from './key-actions.ts'
import { GRACE_S, QUIET_TYPING_S } from './keys.ts'
import { arrange, coverLines, footerLine, headerLine, KEYS_ALONE, statusLines } from './layout.ts'
import type { PaintedPrompt } from './painted-prompt.ts'
import { slashNames } from './slash/registry.ts'
import { openStatusLine, type StatusLine, type StatusSource } from './status-line/status-line.ts'
import { submit } from './submit.ts'
import { isAsked, needId, needKeys, wholeNeed } from './team-panel/needs.ts'
import { type PanelRow, TeamPanel } from './team-panel/team-panel.ts'
import { type OpenView, Scroll } from './views/open-view.ts'

export interface AppOptions {
  readonly control: SessionControl
  readonly clock: AlarmClock
  /** It may be painted already. */
  readonly prompt: PaintedPrompt
  readonly knowledge: ProjectKnowledge
  readonly notices: NoticeMode
  readonly statusLine?: StatusSource
  /** Called once, when the prompt is on the screen. */
  readonly onPainted?: () => void
}

/** Streamed text is drawn at once while so many characters are written for each that came; else a little later. */
const WRITTEN_PER_CHARACTER = 2
const FREE_CHARACTERS = 16_000
const LATER_S = 0.1
const MAX_OUTPUT_LINES = 200

/** The interactive screen: the conversation with the lead, the team below it, the editor. */
export class App implements Host {
  readonly control: SessionControl
  readonly clock: AlarmClock
  readonly knowledge: ProjectKnowledge
  readonly view = emptyView()
  readonly panel = new TeamPanel()
  readonly editor: Editor
  readonly tui: ScrollbackTui
  readonly #finished = new FinishedBlocks()
  readonly #notices = new Notices()
  readonly #covers: Cover[] = []
  readonly #queued: string[] = []
  readonly #prompt: PaintedPrompt
  readonly #keyActions: KeyActions
  readonly #statusLine: StatusLine | undefined
  readonly #noticeMode: NoticeMode
  /** Needs that took the keys once; they do not take them again. */
  readonly #offered = new Set<string>()
  readonly #hasToWait = (need: Need) => isAsked(need) && !this.#offered.has(needId(need))
  #end: (exit: TerminalExit) => void = () => {}
  #ownCommand: AbortController | undefined
  #exit: TerminalExit | undefined
  #failure: { readonly error: unknown } | undefined
  #onPainted: (() => void) | undefined
  #received = 0
  #later: (() => void) | undefined
  contextTokens = 0
  /** When a key was last typed, and when a need last took the keys. */
  typedAt = 0
  offeredAt = 0
  /** In place of the keys in the footer, until the next key. */
  hint: string | undefined
  /** The need whose whole text is on the screen. */
  wholeNeed: string | undefined

  constructor({ control, clock, prompt, knowledge, notices, statusLine, onPainted }: AppOptions) {
    this.control = control
    this.clock = clock
    this.knowledge = knowledge
    this.#prompt = prompt
    this.tui = prompt.tui
    this.editor = prompt.editor
    this.editor.onSubmit = (text) => this.#submit(text)
    const members = () => memberNames(this).map((name) => ({ name, about: 'member' }))
    const commands = () => slashNames(this)
    this.editor.setAutocompleteProvider(createCompletion({ cwd: knowledge.cwd, commands, members }))
    this.#keyActions = new KeyActions(this)
    this.#noticeMode = notices
    this.#onPainted = onPainted
    this.#statusLine = statusLine && openStatusLine(this, statusLine, () => this.tui.requestRender())
    this.tui.addInputListener((data) => {
      const outcome = this.#keyActions.handle(data)
      return typeof outcome === 'string' ? { data: outcome } : { consume: outcome }
    })
  }

  /** Until the person leaves. */
  async run(firstPrompt: string | undefined): Promise<TerminalExit> {
    const ended = new Promise<TerminalExit>((resolve) => {
      this.#end = resolve
    })
    // Painted before the session is read, which may still be opening.
    this.#prompt.take((columns, rows) => this.#frame(columns, rows))
    this.#tick()
    const stop = followLater(this.control, 'lead', {
      onLine: (timed) => this.#receive(timed),
      onEnd: (why) => this.#closed(why),
      onCaughtUp: () => {
        recallPrompts(this.editor, leadEntries(this.view))
        if (firstPrompt !== undefined && !this.#exit) this.#submit(firstPrompt)
      },
      onFailure: (error) => {
        this.#failure = { error }
        this.leave({ next: 'quit' })
      },
    })
    try {
      const exit = await ended
      if (this.#failure) throw this.#failure.error
      return exit
    } finally {
      stop()
      this.#ownCommand?.abort()
      this.#statusLine?.close()
      for (const { view } of this.#covers) view.close?.()
    }
  }

  // --- what arrives

  #receive(timed: TimedLine): void {
    applyLine(this.view, timed)
    this.#statusLine?.changed()
    const { line } = timed
    if (line.type === 'assistant' && line.agent === 'lead') {
      const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = line.message.usage
      this.contextTokens = input_tokens + cache_read_input_tokens + cache_creation_input_tokens + output_tokens
    }
    if (line.type !== 'deskmates/delta') {
      this.#finished.collect(this.view, this.clock.now())
      return this.tui.requestRender()
    }
    this.#received += line.text.length
    if (this.tui.written <= this.#received * WRITTEN_PER_CHARACTER + FREE_CHARACTERS) return this.tui.requestRender()
    this.#later ??= this.clock.in(LATER_S, () => {
      this.#later = undefined
      this.tui.requestRender()
    })
  }

  /** The session is gone: its process ended, or the connection to it. */
  #closed(why: string): void {
    if (this.#exit) return
    tell(this, why)
    this.leave({ next: 'quit' })
  }

  /** Times on the screen go on. */
  #tick(): void {
    if (this.#exit) return
    this.clock.in(1, () => {
      this.tui.requestRender()
      this.#tick()
    })
  }

  // --- what is drawn

  #frame(columns: number, rows: number): Frame {
    if (this.#exit) return this.#lastFrame(columns)
    if (this.#onPainted) setImmediate(this.#onPainted)
    this.#onPainted = undefined
    const now = this.clock.now()
    const cover = this.cover
    const needs = this.needs()
    this.#ring(needs)
    if (cover) return { finished: [], live: this.#coverLines(cover, columns, rows), coversScreen: true }
    this.#offer(needs, now)
    const finished = this.#finished.take(this.view, now)
    this.#hideArrived()
    const panelRows = this.panelRows
    const selected = this.panel.selected(panelRows)
    const card = selected?.kind === 'need' ? wholeNeed(selected.need, columns) : []
    const { lines, isCardWhole } = arrange(
      {
        open: this.#finished.openLines(this.view, now, columns),
        status: statusLines(this.view, this.#queued, now, columns),
        header: headerLine(this.view, this.knowledge, now, columns),
        panel: this.panel.lines(panelRows, now, columns, Math.max(2, Math.floor(rows / 3))),
        card,
        editor: editorLines(this.editor, columns),
        below: this.#statusLine?.lines(columns) ?? [],
        footer: footerLine(this.hint, this.#keys(selected), this.view, columns),
      },
      rows,
    )
    this.wholeNeed = selected?.kind === 'need' && isCardWhole ? selected.id : undefined
    return { finished, live: lines, coversScreen: false }
  }

  /** Queued prompts that the lead has read. */
  #hideArrived(): void {
    const last = leadEntries(this.view).findLast((entry) => entry.kind === 'input' && typeof entry.typed === 'string')
    const arrived = this.#queued.findIndex((text) => last?.kind === 'input' && last.typed === text)
    if (arrived !== -1) this.#queued.splice(0, arrived + 1)
  }

  #ring(needs: readonly Need[]): void {
    const notices = this.#notices.take(this.view, needs)
    if (notices.length > 0) this.tui.notify(notices.at(-1)!, this.#noticeMode, this.knowledge.env)
  }

  /** A question takes the keys when the person is not typing. */
  #offer(needs: readonly Need[], now: number): void {
    const need = needs.find(this.#hasToWait)
    if (!need || this.panel.isSelecting || this.editor.getText() !== '' || now - this.typedAt < QUIET_TYPING_S) return
    this.#offered.add(needId(need))
    this.offeredAt = now
    this.clock.in(GRACE_S, () => this.tui.requestRender())
    this.panel.select(this.panelRows.find(({ id }) => id === needId(need)))
  }

  #coverLines({ view, scroll }: { view: OpenView; scroll: Scroll }, columns: number, rows: number): Drawn[] {
    const editor = view.submit ? editorLines(this.editor, columns) : []
    const body = scroll.visible(view.lines(columns), rows - 2 - editor.length, view.focus)
    const keys = [this.hint ?? view.keys, view.submit ? '' : 'esc back', 'PgUp PgDn'].filter((part) => part !== '')
    return coverLines(
      view.title,
      body,
      { position: scroll.position, keys: paint.dim(keys.join(' · ')), editor },
      columns,
      rows,
    )
  }

  #keys(selected: PanelRow | undefined): string {
    // Shown when they count: a moment after a question took the keys.
    if (selected && this.clock.now() - this.offeredAt < GRACE_S) return ''
    if (selected?.kind === 'need')
      return `${needKeys(selected.need)
        .map(([key, what]) => `${key} ${what}`)
        .join(' · ')} · esc back`
    if (selected) return '↵ open · x stop · b board · m mail · esc back'
    if (this.needs().some(this.#hasToWait)) return 'A question waits until you stop typing · ↓ answer'
    return this.panelRows.length > 0 ? '↓ team · / help · @ name or file · ^O calls' : KEYS_ALONE
  }

  /** Leaves nothing of the live area behind but how to come back. */
  #lastFrame(columns: number): Frame {
    const again = this.#failure || this.#exit!.next !== 'quit' ? undefined : this.knowledge.resumeCommand()
    const words = again === undefined ? '' : `Continue with: ${again}`
    const finished = this.#finished.take(this.view, this.clock.now())
    const isLong = words.length > columns
    queueMicrotask(() => {
      this.tui.stop()
      if (isLong) this.tui.writeBehind(draw`${words}`)
      this.#end(this.#exit!)
    })
    return { finished, live: [isLong ? EMPTY : paint.dim(words)], coversScreen: false }
  }

  // --- what keys and commands use

  get panelRows(): PanelRow[] {
    return this.panel.rows(this.view, this.clock.now())
  }

  get cover(): Cover | undefined {
    return this.#covers.at(-1)
  }

  get isShellRunning(): boolean {
    return this.#ownCommand !== undefined
  }

  print(lines: (columns: number) => readonly Drawn[]): void {
    this.tui.print({ lines })
  }

  open(view: OpenView): void {
    const openedFrom = this.panel.selected(this.panelRows)
    this.#covers.push({ view, scroll: new Scroll(view.followsEnd), openedFrom })
    this.panel.select(undefined)
    this.tui.cover()
  }

  closeView(): void {
    this.#covers.pop()?.view.close?.()
    this.cover ? this.tui.cover() : this.tui.uncover()
  }

  leave(exit: TerminalExit): void {
    this.#exit ??= exit
    this.tui.uncover()
    this.tui.requestRender()
  }

  needs(): readonly Need[] {
    return this.panel.needs(this.view)
  }

  hideNeed(need: Need): void {
    this.panel.hide(needId(need))
    this.tui.requestRender()
  }

  queued(text: string): void {
    this.#queued.push(text)
    this.tui.requestRender()
  }

  async runOwnCommand(command: string): Promise<void> {
    const abort = new AbortController()
    this.#ownCommand = abort
    this.print((columns) => [paint.bold(draw`! ${command}`).fit(columns)])
    const { output, code } = await runOwnCommand(command, { ...this.knowledge, signal: abort.signal })
    this.#ownCommand = undefined
    const end = code === 0 ? [] : [paint.red(code === undefined ? '  ended by a signal' : `  exit ${code}`)]
    this.print((columns) => {
      const lines = wrappedLines(output.trimEnd(), Math.max(1, columns - 2)).map((line) => draw`  ${line}`)
      return [...lines.slice(-MAX_OUTPUT_LINES), ...end]
    })
  }

  stopOwnCommand(): void {
    this.#ownCommand?.abort()
  }

  /** Does it, and tells the person what went wrong. */
  attempt(action: Promise<unknown>): void {
    action.catch((error: unknown) =>
      tell(this, `That failed: ${error instanceof Error ? error.message : String(error)}`),
    )
  }

  #submit(text: string): void {
    if (text.trim() !== '') this.editor.addToHistory(text)
    if (this.cover?.view.submit) return this.cover.view.submit(text)
    this.attempt(submit(this, text))
  }
}
