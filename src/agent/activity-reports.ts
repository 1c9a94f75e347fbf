import type { TeamHandle } from '../journal/team-handle.ts'
import type { Reply } from '../models/model.ts'
import type { Author, EventOf, TeamEvent } from '../team/event.ts'

/** What the journal is told of an agent's work. Nobody waits for it while the work goes on; the transcript has it too. */
export interface ActivityReports {
  addUsage(reply: Reply): void
  /** Written on change only. */
  setActivity(status: EventOf<'member.activity'>['status']): void
  /** Throws what went wrong since, once: a journal that cannot be written is a reason to stop, until it can be again. */
  check(): void
  /** Hands in what is owed, with whatever else is written to the journal now. */
  post(): void
  /** Resolves when all of it is in the journal, durably. */
  settle(): Promise<void>
}

/** Calls that follow each other faster than this, in milliseconds, share a record. */
const TOGETHER = 1000

export function createActivityReports(team: TeamHandle, by: Author): ActivityReports {
  const owed: TeamEvent[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<unknown> = Promise.resolve()
  let trouble: unknown
  /** Whoever sits down rests. */
  let shown = 'idle'

  function write(): void {
    clearTimeout(timer)
    timer = undefined
    if (owed.length === 0) return
    const report = team.report(owed.splice(0), { by, until: 'written' }).catch((error) => {
      trouble ??= error
    })
    writing = Promise.all([writing, report])
  }

  function check(): void {
    const told = trouble
    trouble = undefined
    if (told !== undefined) throw told
  }

  return {
    addUsage({ usage, cost, model }) {
      owed.push({ type: 'usage', member: by.name, model, usage, cost })
      timer ??= setTimeout(write, TOGETHER)
    },
    setActivity(status) {
      if (status === shown) return
      shown = status
      owed.push({ type: 'member.activity', name: by.name, generation: by.generation!, status })
      write()
    },
    check,
    post: write,
    async settle() {
      write()
      await writing
      await team.log.sync()
      check()
    },
  }
}
