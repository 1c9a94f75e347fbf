/** At most this many developers work on one team's plan tasks at the same time. */
export const MAX_DEVS = 5

/** How many more developers are worth starting: one per ready task, while the busy ones leave room below the cap. */
export function devCount(ready: number, { busy = 0, cap = MAX_DEVS }: { busy?: number; cap?: number } = {}): number {
  return Math.max(0, Math.min(ready, cap - busy))
}
