import type { Office, Seat, Seats, SpawnPlan } from '../../ports/seat.ts'
import { openTeam, type Team } from '../../runtime/team.ts'
import { openMemoryStore } from '../../stores/memory/memory-store.ts'
import type { Author } from '../../team/event.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal, refuse } from '../../team/refusal.ts'
import { memberNamed, roster, unreadOf } from '../../team/state.ts'

/** A lead with real teams in memory, whose teammates nobody runs. Only for tests. */
export interface PracticeOffice extends Office {
  /** What was asked for, as it was asked for. */
  readonly plans: SpawnPlan[]
  /** The team of this name, or the first. */
  team(name?: string): Team
  /** Where a teammate sits. */
  seatsOf(name: string, team?: string): Seats
}

export async function practiceOffice(first = 'web'): Promise<PracticeOffice> {
  const store = await openMemoryStore()
  const teams = new Map<string, Team>()
  const plans: SpawnPlan[] = []
  let current = first

  const team = (name = first): Team => teams.get(nameKey(name))!
  const lead: Author = { name: 'lead' }

  const office: PracticeOffice = {
    plans,
    team,
    get teams() {
      return [...teams.values()].map(({ name }) => name)
    },
    seat: (name = current) => (teams.has(nameKey(name)) ? seatAt(team(name), lead) : undefined),
    seatsOf(name, where = first) {
      const { generation } = memberNamed(team(where).state, name)!
      const seat = seatAt(team(where), { name, generation })
      return {
        teams: [where],
        seat: (other = where) => (nameKey(other) === nameKey(where) ? seat : undefined),
      }
    },
    async createTeam(name, description) {
      const opened = teams.get(nameKey(name)) ?? (await openTeam(store, name))
      const answer = await opened.run({ type: 'team.create', team: name, description }, { by: lead })
      if (isRefusal(answer)) return answer
      teams.set(nameKey(name), opened)
      current = opened.name
      return { isNew: answer.note === undefined }
    },
    async deleteTeam(name) {
      const there = teams.get(nameKey(name))
      if (!there) return refuse('unknown_team', `Team '${name}' not found. You lead: ${office.teams.join(', ')}.`)
      if (there === team()) return refuse('not_allowed', 'A session cannot delete its own team.')
      const mates = roster(there.state).filter((member) => member.name !== 'lead')
      for (const mate of mates) await there.run({ type: 'member.stop', name: mate.name }, { by: lead })
      const answer = await there.run({ type: 'team.delete' }, { by: lead })
      if (isRefusal(answer)) return answer
      teams.delete(nameKey(name))
      current = first
      return { notified: mates.length, report: mates.map((mate) => `${mate.name}: stopped`) }
    },
    async spawn(plan) {
      const where = plan.team ?? current
      if (!teams.has(nameKey(where))) {
        const made = await office.createTeam(where)
        if (isRefusal(made)) return made
      }
      const { name, role = 'teammate', prompt, task, agentType = null, model = null, requirePlan = false } = plan
      const isKnown = memberNamed(team(where).state, name) !== undefined
      const profile = { agentType, model, requirePlan }
      const runtime = store.presence.self
      const answer = await team(where).run(
        { type: 'member.spawn', name, role, runtime, prompt, task, profile },
        { by: lead },
      )
      if (isRefusal(answer)) return answer
      plans.push(plan)
      return { name, team: team(where).name, role, isKnown, task }
    },
  }
  await office.createTeam(first)
  return office
}

function seatAt(team: Team, by: Author): Seat {
  return {
    team: team.name,
    name: by.name,
    get state() {
      return team.state
    },
    refresh: () => team.refresh(),
    run: (command) => team.run(command, { by }),
    send: (letter) => team.send(letter, { by }),
    whole: (value) => team.whole(value),
    async unread() {
      return unreadOf(team.state, by.name).map(({ message }) => ({
        message,
        words: `<message from="${message.from}" type="${message.type}">\n${message.content}\n</message>`,
      }))
    },
  }
}
