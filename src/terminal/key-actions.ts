import { decodeKittyPrintable, type Editor, isKeyRelease, matchesKey } from '@earendil-works/pi-tui'
import type { Need } from '../view/needs-person.ts'
import { answerNeed } from './answer-need.ts'
import { harmlessText } from './drawing/drawn.ts'
import type { ScrollbackTui } from './drawing/scrollback-tui.ts'
import { type Host, isDone, tell } from './host.ts'
import { GRACE_S, QUIT_WITHIN_S } from './keys.ts'
import { boardView, mailView } from './slash/mail-commands.ts'
import { CYCLE } from './slash/session-commands.ts'
import { type NeedKey, needId, needKeys } from './team-panel/needs.ts'
import type { PanelRow, TeamPanel } from './team-panel/team-panel.ts'
import { callsView } from './views/calls-view.ts'
import type { OpenView, Scroll } from './views/open-view.ts'
import { isWorking, teammateView } from './views/teammate-view.ts'

/** A view over the whole screen, and the row of the team panel from which it was opened. */
export interface Cover {
  readonly view: OpenView
  readonly scroll: Scroll
  readonly openedFrom: PanelRow | undefined
}

/** The screen, as keys act on it. */
export interface KeyTarget extends Host {
  readonly editor: Editor
  readonly tui: ScrollbackTui
  readonly panel: TeamPanel
  readonly panelRows: PanelRow[]
  readonly cover: Cover | undefined
  readonly isShellRunning: boolean
  readonly wholeNeed: string | undefined
  readonly offeredAt: number
  typedAt: number
  hint: string | undefined
  stopOwnCommand(): void
  attempt(action: Promise<unknown>): void
}

/** The keys that are not the editor's. */
export class KeyActions {
  readonly #app: KeyTarget
  #quitAskedAt = Number.NEGATIVE_INFINITY

  constructor(app: KeyTarget) {
    this.#app = app
  }

  /** Whether the key was used; else the text that the editor gets. */
  handle(data: string): true | string {
    const app = this.#app
    if (isKeyRelease(data)) return true
    app.hint = undefined
    // Some terminals send letters as sequences too.
    const key = decodeKittyPrintable(data) ?? data
    const isUsed =
      this.#anywhere(key) ||
      (app.cover ? this.#inView(key, app.cover) : app.panel.isSelecting ? this.#inPanel(key) : this.#inEditor(key))
    app.tui.requestRender()
    if (isUsed) return true
    app.typedAt = app.clock.now()
    return data.includes(PASTE_START) ? pasted(data) : data
  }

  #anywhere(data: string): boolean {
    const app = this.#app
    const isEmpty = app.editor.getText() === ''
    if (matchesKey(data, 'ctrl+c')) return this.#interruptOrQuit(isEmpty)
    // Ctrl+C twice means one after the other: who types in between does not want to leave.
    this.#quitAskedAt = Number.NEGATIVE_INFINITY
    if (matchesKey(data, 'ctrl+d') && isEmpty) {
      app.leave({ next: 'quit' })
      return true
    }
    if (matchesKey(data, 'shift+tab')) {
      const next = CYCLE[(CYCLE.indexOf(app.view.mode) + 1) % CYCLE.length]!
      app.attempt(app.control.setMode(next).then((result) => isDone(app, result)))
      return true
    }
    if (app.cover) return false
    if (matchesKey(data, 'ctrl+o')) app.open(callsView(app))
    else if (matchesKey(data, 'ctrl+t')) app.open(boardView(app))
    else return false
    return true
  }

  #interruptOrQuit(isEmpty: boolean): boolean {
    const app = this.#app
    const now = app.clock.now()
    if (now - this.#quitAskedAt <= QUIT_WITHIN_S) app.leave({ next: 'quit' })
    else if (!isEmpty) app.editor.setText('')
    else app.hint = 'Press Ctrl+C again to leave.'
    this.#quitAskedAt = now
    return true
  }

  #inEditor(data: string): boolean {
    const app = this.#app
    const isEmpty = app.editor.getText() === ''
    if (matchesKey(data, 'escape')) {
      if (app.editor.isShowingAutocomplete()) return false
      if (app.isShellRunning) app.stopOwnCommand()
      else if (app.view.run.isWorking) app.attempt(app.control.interrupt('lead'))
      return true
    }
    const [first] = app.panelRows
    if (!matchesKey(data, 'down') || !isEmpty || !first) return false
    app.panel.select(first)
    return true
  }

  #inPanel(data: string): boolean {
    const app = this.#app
    const { panel, panelRows: rows } = app
    const row = panel.selected(rows)
    const isMeantForEditor = app.clock.now() - app.offeredAt < GRACE_S
    if (matchesKey(data, 'escape') || !row || isMeantForEditor) {
      panel.select(undefined)
      return !isMeantForEditor && row !== undefined
    }
    if (matchesKey(data, 'up')) panel.select(panel.neighbour(rows, -1))
    else if (matchesKey(data, 'down')) panel.select(panel.neighbour(rows, 1))
    else if (data === 'b') app.open(boardView(app))
    else if (data === 'm') app.open(mailView(app))
    else if (row.kind === 'need') return this.#onNeed(data, row.need, app.wholeNeed === row.id)
    else if (matchesKey(data, 'enter')) app.open(teammateView(app, row.agent.name, () => app.tui.requestRender()))
    else if (data === 'x') this.#stop(row.agent.name)
    else {
      panel.select(undefined)
      return false
    }
    return true
  }

  #onNeed(data: string, need: Need, isWhole: boolean): boolean {
    const app = this.#app
    const key = matchesKey(data, 'enter') ? 'v' : data
    if (key !== 'v' && !answers(need, key)) {
      app.panel.select(undefined)
      return false
    }
    // Allowing something that was not shown to its end would be allowing it unread.
    const isAllowed = isWhole || key === 'n' || key === 'v'
    if (!isAllowed) app.hint = 'Read it to its end, then answer.'
    if (!isAllowed || key === 'v') this.#openNeed(need)
    else {
      // A rule is shown first, and saving it is no answer yet.
      if (key !== 's') app.panel.select(undefined)
      app.attempt(answerNeed(app, need, key))
    }
    return true
  }

  #openNeed(need: Need): void {
    const app = this.#app
    app.attempt(answerNeed(app, need, 'v'))
    this.#viewed = need
  }

  /** The need that the open view shows. */
  #viewed: Need | undefined

  #inView(data: string, { view, scroll, openedFrom }: Cover): boolean {
    const app = this.#app
    const isEmpty = app.editor.getText() === ''
    if (view.key?.(data)) return true
    if (matchesKey(data, 'pageUp')) scroll.by(-scroll.page, view.followsEnd)
    else if (matchesKey(data, 'pageDown')) scroll.by(scroll.page, view.followsEnd)
    else if (view.teammate !== undefined) return this.#inTeammate(data, view.teammate, isEmpty)
    else if (matchesKey(data, 'up')) scroll.by(-1, view.followsEnd)
    else if (matchesKey(data, 'down')) scroll.by(1, view.followsEnd)
    else if (matchesKey(data, 'escape') || data === 'q') this.#back(openedFrom)
    else if (this.#viewed && answers(this.#viewed, data)) this.#answerViewed(this.#viewed, data, scroll.hasShownAll)
    return true
  }

  #answerViewed(need: Need, key: NeedKey, hasShownAll: boolean): void {
    const app = this.#app
    const isOpen = app.needs().some((other) => needId(other) === needId(need))
    if (!hasShownAll && key !== 'n') {
      app.hint = 'Read it to its end, then answer.'
      return
    }
    this.#close()
    if (isOpen) app.attempt(answerNeed(app, need, key))
    else tell(app, 'This is settled already.')
  }

  /** Text goes to the teammate's editor; these keys do not. */
  #inTeammate(data: string, name: string, isEmpty: boolean): boolean {
    const app = this.#app
    if (matchesKey(data, 'ctrl+x')) this.#stop(name)
    else if (matchesKey(data, 'left') && isEmpty) this.#close()
    else if (matchesKey(data, 'escape') && !app.editor.isShowingAutocomplete()) {
      if (isWorking(app, name)) app.attempt(app.control.interrupt(name))
      else this.#close()
    } else return false
    return true
  }

  #stop(name: string): void {
    const app = this.#app
    app.hint = `${name} is asked to stop.`
    app.attempt(app.control.stop(name, false).then((result) => isDone(app, result)))
  }

  /** A question that was only looked at still has the keys. */
  #back(from: PanelRow | undefined): void {
    const app = this.#app
    this.#close()
    const isOpen = from?.kind === 'need' && app.needs().some((need) => needId(need) === from.id)
    if (isOpen && !app.cover) app.panel.select(from)
  }

  #close(): void {
    this.#viewed = undefined
    this.#app.closeView()
  }
}

/** One of the keys that are shown with it, and not the one that only shows it. */
function answers(need: Need, key: string): key is NeedKey {
  return key !== 'v' && needKeys(need).some(([own]) => own === key)
}

const PASTE_START = '\x1b[200~'
const PASTE_END = '\x1b[201~'

/** What is pasted may come from anywhere. */
function pasted(data: string): string {
  const start = data.indexOf(PASTE_START) + PASTE_START.length
  const end = data.includes(PASTE_END, start) ? data.indexOf(PASTE_END, start) : data.length
  return data.slice(0, start) + harmlessText(data.slice(start, end).replace(/\r\n?/g, '\n')) + data.slice(end)
}
