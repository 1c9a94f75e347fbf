import { createIds } from '../ports/ids.ts'
import { type Ask, askPerson, wishInWords } from '../runtime/crew/asking.ts'
import type { Team } from '../runtime/team.ts'
import type { Author } from '../team/event.ts'
import { nameKey } from '../team/name.ts'
import { type Asker, howTo, type Wanted } from './permits.ts'

/** Whom the members of a session ask for leave: a person, if one can be asked; else the lead hears what was denied. */
export interface Askers {
  readonly canAsk: boolean
  of(team: Team, by: Author): Asker
  /** Of an agent that `by` has sent out and answers for: `lead › explore`. What is denied stands in its report. */
  ofErrand(team: Team, by: Author, agent: string): Asker
}

export function createAskers(ask: Ask | undefined, clock: { now(): number }): Askers {
  const newId = createIds()
  /** What a lead has heard of: the same denial is told once. */
  const told = new Set<string>()

  async function tellLead(team: Team, by: Author, { wish, why, rules }: Wanted): Promise<void> {
    const key = `${team.name}/${nameKey(by.name)}/${rules.join()}`
    if (told.has(key)) return
    told.add(key)
    const content = `${by.name} was denied to ${wishInWords(wish)}, because ${why}, and no person can be asked here. ${rules.length > 0 ? `The user can allow it: ${howTo(rules)}.` : 'No rule covers it in this form.'} Do it yourself if you may, let ${by.name} do without it, or say in your report what is needed.`
    const message = { id: newId(), type: 'error', from: by.name, to: 'lead', content, timestamp: clock.now() } as const
    await team.report([{ type: 'message.sent', message }], { by, until: 'written' })
  }

  function asking(team: Team, by: Author, agent: string): Asker {
    if (!ask) return {}
    return { ask: (wanted, signal) => askPerson({ team, by, ask }, { agent, team: team.name, ...wanted }, signal) }
  }

  return {
    canAsk: ask !== undefined,
    of(team, by) {
      if (ask || nameKey(by.name) === 'lead') return asking(team, by, by.name)
      return { onDenied: (wanted) => tellLead(team, by, wanted) }
    },
    ofErrand: asking,
  }
}
