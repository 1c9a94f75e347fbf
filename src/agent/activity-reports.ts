import type { TeamHandle } from '../journal/team-handle.ts'
import type { Reply } from '../models/model.ts'
import type { Author, EventOf, TeamEvent } from '../team/event.ts'

/** Reports usage and activity of an agent to the journal. The agent does not wait for it; the transcript has it too. */
export interface ActivityReports {
  addUsage(reply: Reply): void
  /** Written on change only. */
  setActivity(status: EventOf<'member.activity'>['status']): void
  /** Throws, once, what went wrong since: an agent stops while its journal cannot be written. */
  check(): void
  /** Writes pending reports, together with what else is written to the journal now. */
  flush(): void
  /** Resolves when all of it is in the journal, durably. */
  settle(): Promise<void>
}

/** Model calls that follow each other faster share a record. */
const USAGE_DELAY_MS = 1000

export function createActivityReports(team: TeamHandle, by: Author): ActivityReports {
  const pending: TeamEvent[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<unknown> = Promise.resolve()
  let failure: unknown
  /** An agent that is opened is idle. */
  let shown = 'idle'

  function write(): void {
    clearTimeout(timer)
    timer = undefined
    if (pending.length === 0) return
    const report = team.report(pending.splice(0), { by, until: 'written' }).catch((error) => {
      failure ??= error
    })
    writing = Promise.all([writing, report])
  }

  function check(): void {
    const thrown = failure
    failure = undefined
    if (thrown !== undefined) throw thrown
  }

  return {
    addUsage({ usage, cost, model }) {
      pending.push({ type: 'usage', member: by.name, model, usage, cost })
      timer ??= setTimeout(write, USAGE_DELAY_MS)
    },
    setActivity(status) {
      if (status === shown) return
      shown = status
      pending.push({ type: 'member.activity', name: by.name, generation: by.generation!, status })
      write()
    },
    check,
    flush: write,
    async settle() {
      write()
      await writing
      await team.log.sync()
      check()
    },
  }
}
