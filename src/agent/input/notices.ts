/** What the runtime reports to an agent besides mail: a job ended, a task was handed over. Each is taken once. */
export interface Notices {
  add(notice: Notice): void
  /** Those at the front for which `fits` holds, the first in any case; the others wait for the next turn. */
  take(fits?: (notice: Notice) => boolean): readonly Notice[]
  readonly waiting: number
}

export interface Notice {
  readonly text: string
  /** The job whose end it reports. */
  readonly job?: string
  /** The task it is about: what the agent does from here on is done for that task. */
  readonly task?: string | undefined
}

/** `onAdd` is called after each notice that is added, so that an idle agent wakes. */
export function createNotices(onAdd: () => void = () => {}): Notices {
  const notices: Notice[] = []
  return {
    add(notice) {
      notices.push(notice)
      onAdd()
    },
    take(fits = () => true) {
      const first = notices.slice(0, 1)
      if (first[0]) fits(first[0])
      const end = notices.findIndex((notice, at) => at > 0 && !fits(notice))
      return notices.splice(0, end === -1 ? notices.length : end)
    },
    get waiting() {
      return notices.length
    },
  }
}
