import { createInterface } from 'node:readline'
import { matchesKey, ProcessTerminal, type Terminal } from '@earendil-works/pi-tui'
import { type Drawn, draw, paint } from './drawing/drawn.ts'
import { type Frame, ScrollbackTui } from './drawing/scrollback-tui.ts'
import { wrappedLines } from './drawing/text-lines.ts'
import { writeLines } from './drawing/write-lines.ts'
import type { SessionChoice } from './host.ts'
import { coverLines } from './layout.ts'
import { isPlain, type PlainStreams, plainStreams } from './plain/plain-streams.ts'
import { Scroll } from './views/open-view.ts'
import { SessionList, typedSessionLines } from './views/session-list.ts'
import { runningElsewhere } from './views/sessions-view.ts'

export interface PickOptions {
  readonly sessions: readonly SessionChoice[]
  readonly env: NodeJS.ProcessEnv
  readonly isScreenReader?: boolean
  /** By default that of the process. */
  readonly terminal?: Terminal
  readonly streams?: PlainStreams
  /** Aborts when the process has to end. */
  readonly signal?: AbortSignal
}

/** Before a session is open: the one that the person chooses; undefined where none is chosen. */
export function pickSession(options: PickOptions): Promise<string | undefined> {
  return isPlain(options.env, options.isScreenReader) ? pickByTyping(options) : pickByKeys(options)
}

const KEYS = '↑↓ choose · ↵ continue it · type to search · esc back'
const LEAVING = ['escape', 'ctrl+c', 'ctrl+d'] as const

function pickByKeys({ sessions, env, terminal = new ProcessTerminal(), signal }: PickOptions) {
  const list = new SessionList(sessions)
  const scroll = new Scroll(false)
  return new Promise<string | undefined>((resolve) => {
    let end: { readonly chosen: string | undefined } | undefined
    let hint: string | undefined
    const tui = new ScrollbackTui(terminal, frame, !env.NO_COLOR)

    function frame(columns: number, rows: number): Frame {
      if (end) {
        const { chosen } = end
        queueMicrotask(() => {
          tui.stop()
          resolve(chosen)
        })
        return { finished: [], live: [], coversScreen: true }
      }
      const body = scroll.visible(list.lines(columns), rows - 2, list.focus)
      const keys = hint === undefined ? paint.dim(KEYS) : paint.yellow(hint)
      const live = coverLines(list.title, body, { position: scroll.position, keys, editor: [] }, columns, rows)
      return { finished: [], live, coversScreen: true }
    }

    function leave(chosen: string | undefined): void {
      end ??= { chosen }
      tui.uncover()
      tui.requestRender()
    }

    tui.addInputListener((data) => {
      hint = undefined
      const outcome = list.key(data)
      if (typeof outcome === 'object' && outcome.chosen.isRunning) hint = runningElsewhere(outcome.chosen.id)
      else if (typeof outcome === 'object') leave(outcome.chosen.id)
      else if (LEAVING.some((key) => matchesKey(data, key))) leave(undefined)
      tui.requestRender()
      return { consume: true }
    })
    signal?.addEventListener('abort', () => leave(undefined), { once: true })
    tui.start()
    tui.cover()
  })
}

/** An empty line, or the end of the input, chooses none. */
async function pickByTyping({ sessions, streams = plainStreams(), signal }: PickOptions): Promise<string | undefined> {
  const { input, output, columns } = streams
  const write = (lines: readonly Drawn[]) => writeLines(output, lines)
  write([...typedSessionLines(sessions, columns), draw`Which session? Type its ID; an empty line chooses none.`])
  const lines = createInterface({ input, terminal: false, ...(signal && { signal }) })
  try {
    for await (const line of lines) {
      const wanted = line.trim().toLowerCase()
      if (wanted === '') return undefined
      const found = sessions.find(({ id }) => id.toLowerCase() === wanted)
      if (found && !found.isRunning) return found.id
      write(wrappedLines(found ? runningElsewhere(found.id) : `There is no session ${wanted}.`, columns))
    }
    return undefined
  } finally {
    lines.close()
  }
}
