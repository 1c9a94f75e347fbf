import type { AlarmClock } from '../../journal/clock.ts'
import { waitBefore } from '../../view/replay-waits.ts'
import type { ReplayedView, ReplayLines } from '../../view/replayed-view.ts'

/** Shorter waits are added up: a screen is not drawn more often. */
const SHORTEST_WAIT_S = 0.03
/** At the highest speed so many steps are folded between two looks at the keys. */
const STEPS_AT_ONCE = 200

const SPEEDS = [0.25, 0.5, 1, 2, 5, 10, 25, 50, 100, Number.POSITIVE_INFINITY] as const

export interface PlayerOptions {
  readonly replay: ReplayedView
  readonly lines: ReplayLines
  readonly clock: AlarmClock
  /** The first and the last step that is played. */
  readonly from: number
  readonly to: number
  readonly speed: number
  onChange(): void
  onFailure(error: unknown): void
}

/** Moves a replay along its time: waits between steps as they were, shortened and divided by the speed. */
export class Player {
  readonly #options: PlayerOptions
  #speed: number
  #isPlaying = false
  #target: number
  #isMoving = false
  #cancel: (() => void) | undefined

  constructor(options: PlayerOptions) {
    this.#options = options
    this.#speed = options.speed
    this.#target = options.from
  }

  get isPlaying(): boolean {
    return this.#isPlaying
  }

  get speed(): number {
    return this.#speed
  }

  /** Where it is, or is on its way to. */
  get step(): number {
    return this.#target
  }

  play(): void {
    const { from, to } = this.#options
    if (this.#target >= to) void this.#goTo(from)
    this.#isPlaying = true
    this.#schedule()
    this.#options.onChange()
  }

  pause(): void {
    this.#isPlaying = false
    this.#cancel?.()
    this.#options.onChange()
  }

  /** Pauses too: a person who steps wants to look. */
  async stepBy(steps: number): Promise<void> {
    this.pause()
    await this.#goTo(this.#target + steps)
  }

  async jump(step: number): Promise<void> {
    this.pause()
    await this.#goTo(step)
  }

  faster(): void {
    this.#setSpeed(SPEEDS.find((speed) => speed > this.#speed) ?? this.#speed)
  }

  slower(): void {
    this.#setSpeed(SPEEDS.findLast((speed) => speed < this.#speed) ?? this.#speed)
  }

  #setSpeed(speed: number): void {
    this.#speed = speed
    if (this.#isPlaying) this.#schedule()
    this.#options.onChange()
  }

  /** Several calls while one is on its way lead to the last place only. */
  async #goTo(step: number): Promise<void> {
    const { replay, from, to, onChange, onFailure } = this.#options
    this.#target = Math.max(from, Math.min(to, step))
    if (this.#isMoving) return
    this.#isMoving = true
    try {
      while (replay.step !== this.#target) {
        await replay.seek(this.#target)
        onChange()
      }
    } catch (error) {
      onFailure(error)
    } finally {
      this.#isMoving = false
    }
  }

  #schedule(): void {
    const { clock, to } = this.#options
    this.#cancel?.()
    if (this.#target >= to) return this.pause()
    const { wait, steps } = this.#next()
    this.#cancel = clock.in(wait, () => {
      void this.#goTo(this.#target + steps).then(() => {
        if (this.#isPlaying) this.#schedule()
      })
    })
  }

  /** So many steps after so many seconds. */
  #next(): { wait: number; steps: number } {
    if (this.#speed === Number.POSITIVE_INFINITY) return { wait: 0, steps: STEPS_AT_ONCE }
    const before = (step: number) => waitBefore(this.#options.lines, this.#target + step) / this.#speed
    let [wait, steps] = [before(1), 1]
    while (
      this.#target + steps < this.#options.to &&
      steps < STEPS_AT_ONCE &&
      wait + before(steps + 1) < SHORTEST_WAIT_S
    )
      wait += before(++steps)
    return { wait, steps }
  }
}
