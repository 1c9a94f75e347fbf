import type { Reply } from '../ports/model.ts'
import type { Team } from '../runtime/team.ts'
import type { Author, EventOf, TeamEvent } from '../team/event.ts'

/** What the journal is told of an agent's work. Nobody waits for it while the work goes on. */
export interface Accounts {
  pay(reply: Reply): void
  /** Written on change only. */
  show(status: EventOf<'member.activity'>['status']): void
  /** Throws what went wrong since: a journal that cannot be written is a reason to stop. */
  check(): void
  /** Resolves when all of it is in the journal. */
  settle(): Promise<void>
}

export function createAccounts(team: Team, by: Author): Accounts {
  const underWay = new Set<Promise<unknown>>()
  let trouble: unknown
  let shown: string | undefined

  function report(event: TeamEvent): void {
    const writing = team.report([event], { by }).catch((error) => {
      trouble ??= error
    })
    underWay.add(writing)
    writing.finally(() => underWay.delete(writing))
  }

  function check(): void {
    if (trouble !== undefined) throw trouble
  }

  return {
    pay: ({ usage, cost, model }) => report({ type: 'usage', member: by.name, model, usage, cost }),
    show(status) {
      if (status !== shown) report({ type: 'member.activity', name: by.name, generation: by.generation!, status })
      shown = status
    },
    check,
    async settle() {
      await Promise.all(underWay)
      check()
    },
  }
}
