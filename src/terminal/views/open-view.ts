import type { Drawn } from '../drawing/drawn.ts'

/** What takes the place of the conversation with the lead until it is closed. */
export interface OpenView {
  readonly title: Drawn
  /** All of it; the screen shows as much as fits and scrolls. */
  lines(columns: number): readonly Drawn[]
  /** The same for a person who types lines and presses no keys. */
  typedLines?(columns: number): readonly Drawn[]
  /** Lines that stay in sight, such as the selected row. */
  readonly focus?: Focus
  /** Keys that this view has besides scrolling and closing. */
  readonly keys: string
  /** What to type instead of a key, where lines are typed. */
  readonly plainKeys?: readonly Drawn[]
  /** New lines at the end stay in sight. */
  readonly followsEnd: boolean
  /** The teammate whose conversation it is. */
  readonly teammate?: string
  /** Text that is typed goes there; without it the view has no editor. */
  readonly submit?: (text: string) => void
  /** Returns whether it used the key. */
  key?(data: string): boolean
  close?(): void
}

/** Numbers of lines, from 0. */
export interface Focus {
  readonly from: number
  readonly to: number
}

/** Which part of a view is on the screen. */
export class Scroll {
  #top = 0
  #isAtEnd: boolean
  #height = 1
  #count = 0
  /** Every line of it was on the screen at some time. */
  #seenTo = 0

  constructor(followsEnd: boolean) {
    this.#isAtEnd = followsEnd
  }

  visible<T>(lines: readonly T[], height: number, focus?: Focus): readonly T[] {
    this.#height = Math.max(1, height)
    this.#count = lines.length
    const last = Math.max(0, lines.length - this.#height)
    this.#top = this.#isAtEnd ? last : Math.min(this.#top, last)
    if (focus) this.#top = Math.max(0, Math.min(focus.from, Math.max(this.#top, focus.to - this.#height + 1)))
    if (this.#top <= this.#seenTo) this.#seenTo = Math.max(this.#seenTo, this.#top + this.#height)
    return lines.slice(this.#top, this.#top + this.#height)
  }

  by(lines: number, followsEnd: boolean): void {
    const last = Math.max(0, this.#count - this.#height)
    this.#top = Math.max(0, Math.min(last, this.#top + lines))
    this.#isAtEnd = followsEnd && this.#top >= last
  }

  get page(): number {
    return Math.max(1, this.#height - 1)
  }

  get hasShownAll(): boolean {
    return this.#seenTo >= this.#count
  }

  /** `12-30 of 99` where not everything fits. */
  get position(): string {
    if (this.#count <= this.#height) return ''
    return `${this.#top + 1}-${Math.min(this.#count, this.#top + this.#height)} of ${this.#count}`
  }
}
