import type { AlarmClock } from '../../ports/clock.ts'

/** A teammate that works and gives no sign of life. */
export class Stalled extends Error {
  constructor(name: string, seconds: number) {
    super(`${name} gave no sign of life for ${seconds} s`)
  }
}

/** Calls `fellSilent` when so many seconds pass without a sign. Signs come often, so they cost no alarm each. */
export function listenFor(clock: AlarmClock, seconds: number, fellSilent: () => void): { sign(): void; stop(): void } {
  let last = clock.now()
  let isOver = false
  let stop = clock.in(seconds, look)

  function look(): void {
    if (clock.now() - last >= seconds) {
      last = clock.now()
      fellSilent()
    }
    if (!isOver) stop = clock.in(last + seconds - clock.now(), look)
  }

  return {
    sign() {
      last = clock.now()
    },
    stop() {
      isOver = true
      stop()
    },
  }
}
