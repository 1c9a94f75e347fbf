import { createMembership } from '../../agent/membership.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import type { Author } from '../../team/event.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal, refuse } from '../../team/refusal.ts'
import { memberNamed, roster } from '../../team/state.ts'
import { type PracticeWorld, practiceWorld } from '../practice-world.ts'
import { runCall } from '../run-call.ts'
import { BUILT_IN } from '../subagents/agent-type.ts'
import type { Memberships, SpawnOptions, TeamControl } from '../team-membership.ts'
import type { Tool, ToolResult } from '../tool.ts'
import { toolsFor } from '../toolbox.ts'
import type { Spelling } from './spelling.ts'

/** A lead with real teams in memory, whose teammates nobody runs. Only for tests. */
export interface PracticeOffice extends TeamControl {
  /** What was asked for, as it was asked for. */
  readonly plans: SpawnOptions[]
  /** The team of this name, or the first. */
  team(name?: string): TeamHandle
  /** Where a teammate sits. */
  seatsOf(name: string, team?: string): Memberships
}

export async function practiceOffice(first = 'web'): Promise<PracticeOffice> {
  const store = await openMemoryStore()
  const teams = new Map<string, TeamHandle>()
  const plans: SpawnOptions[] = []
  let current = first

  const team = (name = first): TeamHandle => teams.get(nameKey(name))!
  const lead: Author = { name: 'lead' }

  const office: PracticeOffice = {
    plans,
    team,
    get teams() {
      return [...teams.values()].map(({ name }) => name)
    },
    membership: (name = current) =>
      teams.has(nameKey(name)) ? createMembership(team(name), lead, () => false) : undefined,
    seatsOf(name, where = first) {
      const { generation } = memberNamed(team(where).state, name)!
      const seat = createMembership(team(where), { name, generation }, () => false)
      return {
        teams: [where],
        membership: (other = where) => (nameKey(other) === nameKey(where) ? seat : undefined),
      }
    },
    async createTeam(name, description) {
      const opened = teams.get(nameKey(name)) ?? (await openTeam(store, name))
      const answer = await opened.run({ type: 'team.create', team: name, description }, { by: lead })
      if (isRefusal(answer)) return answer
      const isNew = answer.note === undefined
      if (isNew) current = opened.name
      teams.set(nameKey(name), opened)
      return { isNew }
    },
    async deleteTeam(name) {
      const there = teams.get(nameKey(name))
      if (!there) return refuse('unknown_team', { team: name })
      if (there === team()) return refuse('not_allowed', { problem: 'own_team' })
      const mates = roster(there.state).filter((member) => member.name !== 'lead')
      for (const mate of mates) await there.run({ type: 'member.stop', name: mate.name }, { by: lead })
      const answer = await there.run({ type: 'team.delete' }, { by: lead })
      if (isRefusal(answer)) return answer
      teams.delete(nameKey(name))
      current = first
      return { notified: mates.length, report: mates.map((mate) => `${mate.name}: stopped`), unread: [] }
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

/** An agent with the tools of its role, in a team with a lead, ada (dev) and bob (tester). Only for tests. */
export interface PracticeDesk {
  readonly office: PracticeOffice
  readonly world: PracticeWorld
  readonly tools: readonly Tool[]
  /** Calls a tool as a model would. */
  call(name: string, input?: object): Promise<ToolResult>
  /** The same, and the test fails if it is refused. */
  ok(name: string, input?: object): Promise<string>
  /** The same, and the test fails if it is not. */
  no(name: string, input?: object): Promise<string>
}

export async function practiceDesk(agent: string, spelling: Spelling = 'team'): Promise<PracticeDesk> {
  const office = await practiceOffice()
  for (const [name, role] of [
    ['ada', 'dev'],
    ['bob', 'tester'],
  ] as const) {
    await office.spawn({ name, role, prompt: `You are ${name}.` })
  }
  return deskIn(office, agent, spelling)
}

/** Another agent of the same team. */
export function deskIn(office: PracticeOffice, agent: string, spelling: Spelling = 'team'): PracticeDesk {
  const isLead = agent === 'lead'
  const world = practiceWorld({ agent, memberships: isLead ? office : office.seatsOf(agent) })
  const runAgent = async ({ prompt }: { prompt: string }) => ({ text: `did: ${prompt}` })
  const tools = isLead
    ? toolsFor('lead', { types: BUILT_IN, runAgent, office, spelling })
    : toolsFor('teammate', { spelling })
  const call = (name: string, input: object = {}) => runCall(tools, { name, input }, world)
  const expected = async (wanted: boolean, name: string, input?: object) => {
    const { text, isError = false } = await call(name, input)
    if (isError === wanted) throw new Error(`${name} ${JSON.stringify(input)}: ${text}`)
    return text
  }
  return {
    office,
    world,
    tools,
    call,
    ok: (name, input) => expected(true, name, input),
    no: (name, input) => expected(false, name, input),
  }
}
