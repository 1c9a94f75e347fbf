import type { AlarmClock } from '../../journal/clock.ts'
import type { StatusOutcome } from '../../session/control/status-program.ts'
import { noteLines } from '../conversation/entry-lines.ts'
import type { Drawn } from '../drawing/drawn.ts'
import type { Host } from '../host.ts'
import { colouredLines } from './coloured-lines.ts'
import { statusInput } from './status-input.ts'

/** A program of the user that writes the status line. */
export interface StatusSource {
  /** Spaces before each of its lines. */
  readonly padding: number
  /** Tokens that fit into the window of the lead's model. */
  contextWindow(): number | undefined
  /** Runs it once. Never rejects. */
  run(input: object, signal: AbortSignal): Promise<StatusOutcome>
}

/** The status line of a screen; a failure of its program is told once. */
export function openStatusLine(host: Host, { contextWindow, ...source }: StatusSource, redraw: () => void): StatusLine {
  const { view, knowledge, clock } = host
  return new StatusLine({
    ...source,
    clock,
    input() {
      const facts = { ...knowledge, contextTokens: host.contextTokens, contextWindow: contextWindow() }
      return statusInput(view, facts, clock.now())
    },
    onChange: redraw,
    onFailure: (why) =>
      host.print((columns) => noteLines(`The program of the status line failed and is not shown: ${why}`, columns)),
  })
}

export interface StatusLineOptions {
  readonly clock: AlarmClock
  readonly padding: number
  /** What the program is told; it runs again when this is different. */
  input(): object
  /** Runs the program once. Never rejects. */
  run(input: object, signal: AbortSignal): Promise<StatusOutcome>
  /** There are other lines to draw. */
  onChange(): void
  /** The program failed for the first time. */
  onFailure(why: string): void
}

/** Seconds from a change until the program runs: changes that come together run it once. */
const DELAY_S = 0.3

/**
 * The lines that a program of the user writes about the session. It runs some time after something changed, never twice at
 * once, and drawing does not wait for it: until it has ended its last lines stay.
 */
export class StatusLine {
  readonly #options: StatusLineOptions
  readonly #closing = new AbortController()
  #lastInput = ''
  #output = ''
  #isRunning = false
  #hasFailed = false
  #cancel: (() => void) | undefined

  constructor(options: StatusLineOptions) {
    this.#options = options
  }

  lines(columns: number): Drawn[] {
    return colouredLines(this.#output, this.#options.padding, columns)
  }

  /** Something may have changed. */
  changed(): void {
    if (this.#closing.signal.aborted || this.#isRunning) return
    this.#cancel ??= this.#options.clock.in(DELAY_S, () => {
      this.#cancel = undefined
      void this.#runIfDifferent()
    })
  }

  /** Ends the program if it runs. */
  close(): void {
    this.#cancel?.()
    this.#closing.abort()
  }

  async #runIfDifferent(): Promise<void> {
    const input = this.#options.input()
    const text = JSON.stringify(input)
    if (text === this.#lastInput) return
    this.#lastInput = text
    this.#isRunning = true
    const outcome = await this.#options.run(input, this.#closing.signal)
    this.#isRunning = false
    if (this.#closing.signal.aborted) return
    this.#output = 'output' in outcome ? outcome.output : ''
    if ('failed' in outcome && !this.#hasFailed) {
      this.#hasFailed = true
      this.#options.onFailure(outcome.failed)
    }
    this.#options.onChange()
    // What changed while it ran.
    this.changed()
  }
}
