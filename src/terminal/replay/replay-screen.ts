import { decodeKittyPrintable, isKeyRelease, matchesKey, setCapabilities, type Terminal } from '@earendil-works/pi-tui'
import type { AlarmClock } from '../../journal/clock.ts'
import type { TimedLine } from '../../session/wire/live-line.ts'
import { gapBefore, MAX_WAIT_S } from '../../view/replay-waits.ts'
import type { ReplayedView, ReplayLines } from '../../view/replayed-view.ts'
import { totals } from '../../view/totals.ts'
import { entryLines } from '../conversation/entry-lines.ts'
import { type Drawn, draw, EMPTY, paint, spread } from '../drawing/drawn.ts'
import { type Frame, ScrollbackTui } from '../drawing/scrollback-tui.ts'
import { wrappedLines } from '../drawing/text-lines.ts'
import { dollars, elapsed, tokens } from '../drawing/values.ts'
import { coverLines } from '../layout.ts'
import { TeamPanel } from '../team-panel/team-panel.ts'
import { callsView } from '../views/calls-view.ts'
import { type OpenView, Scroll } from '../views/open-view.ts'
import { Player } from './player.ts'
import { knowledgeView, type Moment, replayedBoard, replayedMail } from './replayed-views.ts'

export interface ReplayScreenOptions {
  readonly replay: ReplayedView
  readonly lines: ReplayLines
  /** The session that is played. */
  readonly title: string
  readonly clock: AlarmClock
  readonly terminal: Terminal
  readonly hasColours: boolean
  readonly from: number
  readonly to: number
  readonly speed: number
  readonly isPaused: boolean
  /** What a line says, in a few words. */
  readonly describe: (timed: TimedLine) => string
  /** What cannot be played, and why. */
  readonly warning?: string | undefined
}

const MANY_STEPS = 50
const KEYS =
  'space play · ←→ step · [ ] 50 steps · g G ends · + - speed · ↑↓ ↵ who knew what · b board · m mail · ^O calls · q quit'

/** A finished session on the screen: the conversation with the lead and its team at any step of it. */
export class ReplayScreen {
  readonly #options: ReplayScreenOptions
  readonly #tui: ScrollbackTui
  readonly #player: Player
  readonly #panel = new TeamPanel()
  readonly #covers: { readonly view: OpenView; readonly scroll: Scroll }[] = []
  #end: (error?: unknown) => void = () => {}
  #isOver = false
  #error: unknown

  constructor(options: ReplayScreenOptions) {
    const { terminal, hasColours, replay, lines, clock, from, to, speed } = options
    setCapabilities({ images: null, trueColor: false, hyperlinks: false })
    this.#options = options
    this.#tui = new ScrollbackTui(terminal, (columns, rows) => this.#frame(columns, rows), hasColours)
    this.#player = new Player({
      ...{ replay, lines, clock, from, to, speed },
      onChange: () => this.#tui.requestRender(),
      onFailure: (error) => this.#leave(error),
    })
    this.#tui.addInputListener((data) => {
      if (!isKeyRelease(data)) this.#press(decodeKittyPrintable(data) ?? data)
      return { consume: true }
    })
  }

  /** Until the person leaves. */
  async run(): Promise<void> {
    const ended = new Promise<void>((resolve, reject) => {
      this.#end = (error) => (error === undefined ? resolve() : reject(error))
    })
    this.#tui.start()
    this.#tui.cover()
    await this.#player.jump(this.#options.from)
    if (!this.#options.isPaused) this.#player.play()
    this.#tui.requestRender()
    await ended
  }

  leave(): void {
    this.#leave(undefined)
  }

  #leave(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    this.#player.pause()
    this.#tui.uncover()
    this.#tui.requestRender()
  }

  // --- what keys do

  #press(key: string): void {
    const player = this.#player
    const cover = this.#covers.at(-1)
    if (matchesKey(key, 'ctrl+c') || matchesKey(key, 'ctrl+d')) this.#leave(undefined)
    else if (key === ' ') player.isPlaying ? player.pause() : player.play()
    else if (key === 'n' || matchesKey(key, 'right')) void player.stepBy(1)
    else if (key === 'p' || matchesKey(key, 'left')) void player.stepBy(-1)
    else if (key === ']') void player.stepBy(MANY_STEPS)
    else if (key === '[') void player.stepBy(-MANY_STEPS)
    else if (key === 'g' || matchesKey(key, 'home')) void player.jump(0)
    else if (key === 'G' || matchesKey(key, 'end')) void player.jump(this.#options.to)
    else if (key === '+' || key === '=') player.faster()
    else if (key === '-') player.slower()
    else if (cover) this.#inCover(key, cover)
    else this.#inTeam(key)
    this.#tui.requestRender()
  }

  #inCover(key: string, { view, scroll }: { readonly view: OpenView; readonly scroll: Scroll }): void {
    if (view.key?.(key)) return
    if (matchesKey(key, 'up')) scroll.by(-1, view.followsEnd)
    else if (matchesKey(key, 'down')) scroll.by(1, view.followsEnd)
    else if (matchesKey(key, 'pageUp')) scroll.by(-scroll.page, view.followsEnd)
    else if (matchesKey(key, 'pageDown')) scroll.by(scroll.page, view.followsEnd)
    else if (matchesKey(key, 'escape') || key === 'q') this.#covers.pop()
  }

  #inTeam(key: string): void {
    const rows = this.#rows
    const moment = () => this.#moment
    if (key === 'q') this.#leave(undefined)
    else if (key === 'b') this.#open(replayedBoard(moment))
    else if (key === 'm') this.#open(replayedMail(moment))
    else if (matchesKey(key, 'ctrl+o'))
      this.#open(callsView({ view: this.#options.replay.view, open: (view) => this.#open(view) }))
    else if (matchesKey(key, 'down'))
      this.#panel.select(this.#panel.isSelecting ? this.#panel.neighbour(rows, 1) : rows[0])
    else if (matchesKey(key, 'up')) this.#panel.select(this.#panel.neighbour(rows, -1))
    else if (matchesKey(key, 'escape')) this.#panel.select(undefined)
    else if (matchesKey(key, 'enter')) this.#open(knowledgeView(moment, this.#selectedAgent))
  }

  /** The lead where no row of a teammate is selected. */
  get #selectedAgent(): string {
    const selected = this.#panel.selected(this.#rows)
    return selected?.kind === 'agent' ? selected.agent.name : 'lead'
  }

  #open(view: OpenView): void {
    this.#covers.push({ view, scroll: new Scroll(view.followsEnd) })
  }

  // --- what is drawn

  get #moment(): Moment {
    const { replay, lines } = this.#options
    return { view: replay.view, now: lines.timeOf(replay.step) }
  }

  get #rows() {
    const { view, now } = this.#moment
    return this.#panel.rows(view, now)
  }

  #frame(columns: number, rows: number): Frame {
    if (this.#isOver) return this.#lastFrame(columns)
    const cover = this.#covers.at(-1)
    const live = cover ? this.#coverLines(cover, columns, rows) : this.#teamLines(columns, rows)
    return { finished: [], live, coversScreen: true }
  }

  #lastFrame(columns: number): Frame {
    const { title, replay, lines } = this.#options
    queueMicrotask(() => {
      this.#tui.stop()
      this.#end(this.#error)
    })
    const words = paint.dim(`Replay of ${title} left at step ${replay.step} of ${lines.count}.`)
    return { finished: [], live: [words.fit(columns)], coversScreen: false }
  }

  #coverLines({ view, scroll }: { view: OpenView; scroll: Scroll }, columns: number, rows: number): Drawn[] {
    const status = this.#statusLines(columns)
    const body = scroll.visible(view.lines(columns), rows - 2 - status.length)
    const keys = paint.dim('esc back · space play or pause · ←→ step · ↑↓ PgUp PgDn scroll')
    return coverLines(view.title, body, { position: scroll.position, keys, editor: status }, columns, rows)
  }

  #teamLines(columns: number, rows: number): Drawn[] {
    const { view, now } = this.#moment
    const panel = this.#panel.lines(this.#rows, now, columns, Math.max(2, Math.floor(rows / 3)))
    const keys = wrappedLines(KEYS, columns).map(paint.dim)
    const below = [...this.#statusLines(columns), ...panel, ...keys]
    const free = Math.max(0, rows - below.length - 1)
    const entries = view.agents.get('lead')?.conversation ?? []
    const shown: Drawn[] = []
    for (let i = entries.length - 1; i >= 0 && shown.length < free; i--)
      shown.unshift(...entryLines(entries[i]!, now, columns))
    const conversation = free > 0 ? shown.slice(-free) : []
    const padding = Array.from({ length: Math.max(0, free - conversation.length) }, () => EMPTY)
    return [this.#titleLine(columns), ...conversation, ...padding, ...below]
  }

  #titleLine(columns: number): Drawn {
    const { dollars: spent, tokens: used } = totals(this.#moment.view)
    const cost = used > 0 ? ` ${tokens(used)} · ${dollars(spent)}` : ''
    const left = draw`─ ${paint.bold('replay')} · ${this.#options.title} `
    const rule = paint.dim('─'.repeat(Math.max(0, columns - left.columns - cost.length)))
    return draw`${left}${rule}${cost}`.fit(columns)
  }

  /** Where it is, and what happened there. */
  #statusLines(columns: number): Drawn[] {
    const { replay, lines, describe, warning } = this.#options
    const { isPlaying, speed } = this.#player
    const { step, line } = replay
    const pace = speed === Number.POSITIVE_INFINITY ? 'max' : `${speed}×`
    const gap = gapBefore(lines, step)
    const later = gap > MAX_WAIT_S ? paint.yellow(` · after ${elapsed(gap)}`) : EMPTY
    const mark = isPlaying ? paint.green('▶') : paint.yellow('‖')
    const place = draw`step ${step} of ${lines.count} · ${clockTime(lines.timeOf(step))} · ${pace}`
    const bar = Math.max(0, columns - place.columns - 3)
    const filled = lines.count === 0 ? 0 : Math.round((bar * step) / lines.count)
    const track = draw`${paint.cyan('━'.repeat(filled))}${paint.dim('─'.repeat(bar - filled))}`
    const words = line ? draw`${describe(line)}` : paint.dim('before the first step')
    return [
      ...(warning === undefined ? [] : [paint.red(draw`! ${warning}`).fit(columns)]),
      draw`${mark} ${track} ${place}`.fit(columns),
      spread(draw`  ${words}`, later, columns),
    ]
  }
}

/** Local time with seconds. */
function clockTime(seconds: number): string {
  const at = new Date(seconds * 1000)
  return Number.isNaN(at.getTime()) ? '?' : at.toTimeString().slice(0, 8)
}
