import { createMembership } from '../../agent/membership.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import type { Author } from '../../team/event.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal, refuse } from '../../team/refusal.ts'
import { memberNamed, roster } from '../../team/state.ts'
import type { MessageRouting } from '../../tools/message-routing.ts'
import type { Spelling } from '../../tools/own-tool.ts'
import { toolsForLead, toolsForTeammate } from '../../tools/registry.ts'
import { runCall } from '../../tools/run-call.ts'
import { BUILT_IN } from '../../tools/subagents/built-in-types.ts'
import type { SpawnOptions, TeamControl } from '../../tools/team-control.ts'
import type { TeamMembership } from '../../tools/team-membership.ts'
import { toolHarness } from './tool-harness.ts'

/** The team control of a lead over real teams in memory. It records spawns and starts no agent. */
export interface MemoryTeamControl extends TeamControl {
  /** Names of the teams, the first one first. */
  readonly teams: readonly string[]
  /** The options of every successful spawn, in order. */
  readonly spawnRequests: SpawnOptions[]
  /** The rules for messages in all of its teams. */
  readonly routing: MessageRouting | undefined
  /** The team with this name; the first team by default. */
  team(name?: string): TeamHandle
  /** Those of the lead. */
  memberships(): readonly TeamMembership[]
  /** That of one teammate. */
  membershipOf(name: string, team?: string): TeamMembership
}

export async function memoryTeamControl(first = 'web', routing?: MessageRouting): Promise<MemoryTeamControl> {
  const store = await openMemoryStore()
  const teams = new Map<string, TeamHandle>()
  const spawnRequests: SpawnOptions[] = []
  let current = first

  const team = (name = first): TeamHandle => teams.get(nameKey(name))!
  const lead: Author = { name: 'lead' }

  const control: MemoryTeamControl = {
    spawnRequests,
    routing,
    team,
    get teams() {
      return [...teams.values()].map(({ name }) => name)
    },
    memberships: () => [...teams.values()].map((team) => createMembership({ team, by: lead }, () => false, routing)),
    membershipOf(name, where = first) {
      const { generation } = memberNamed(team(where).state, name)!
      return createMembership({ team: team(where), by: { name, generation } }, () => false, routing)
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
      const opened = teams.get(nameKey(name))
      if (!opened) return refuse('unknown_team', { team: name })
      if (opened === team()) return refuse('not_allowed', { problem: 'own_team' })
      const mates = roster(opened.state).filter((member) => member.name !== 'lead')
      for (const mate of mates) await opened.run({ type: 'member.stop', name: mate.name }, { by: lead })
      const answer = await opened.run({ type: 'team.delete' }, { by: lead })
      if (isRefusal(answer)) return answer
      teams.delete(nameKey(name))
      current = first
      return { notified: mates.length, report: mates.map((mate) => `${mate.name}: stopped`), unread: [] }
    },
    async spawn(options) {
      const where = options.team ?? current
      if (!teams.has(nameKey(where))) {
        const made = await control.createTeam(where)
        if (isRefusal(made)) return made
      }
      const { name, role = 'teammate', prompt, task, agentType = null, model = null, requirePlan = false } = options
      const isKnown = memberNamed(team(where).state, name) !== undefined
      const profile = { agentType, model, requirePlan }
      const runtime = store.presence.self
      const answer = await team(where).run(
        { type: 'member.spawn', name, role, runtime, prompt, task, profile },
        { by: lead },
      )
      if (isRefusal(answer)) return answer
      spawnRequests.push(options)
      return { name, team: team(where).name, role, isKnown, task }
    },
  }
  await control.createTeam(first)
  return control
}

/** One agent with the tools of its role, in a team with a lead, ada (dev) and bob (tester). */
export async function teamToolHarness(agent: string, spelling: Spelling = 'team') {
  const control = await memoryTeamControl()
  for (const [name, role] of [
    ['ada', 'dev'],
    ['bob', 'tester'],
  ] as const) {
    await control.spawn({ name, role, prompt: `You are ${name}.` })
  }
  return teamToolsOf(control, agent, spelling)
}

/** The tools of another agent in the same team. */
export function teamToolsOf(control: MemoryTeamControl, agent: string, spelling: Spelling = 'team') {
  const isLead = agent === 'lead'
  const { routing } = control
  const context = toolHarness({
    agent,
    memberships: isLead ? control.memberships : () => [control.membershipOf(agent)],
  })
  const runSubagent = async ({ prompt }: { prompt: string }) => ({ text: `did: ${prompt}` })
  const tools = isLead
    ? toolsForLead({ agentTypes: BUILT_IN, runSubagent, teamControl: control, spelling, routing })
    : toolsForTeammate({ spelling, routing })
  const call = (name: string, input: object = {}) => runCall(tools, { name, input }, context)
  const expectResult = async (succeeds: boolean, name: string, input?: object) => {
    const { text, isError = false } = await call(name, input)
    if (isError === succeeds) throw new Error(`${name} ${JSON.stringify(input)}: ${text}`)
    return text
  }
  return {
    control,
    context,
    tools,
    /** Calls a tool as a model would. */
    call,
    /** Calls a tool and returns its text; throws when the result is an error. */
    ok: (name: string, input?: object) => expectResult(true, name, input),
    /** Calls a tool and returns the text of its error; throws when the call succeeds. */
    no: (name: string, input?: object) => expectResult(false, name, input),
  }
}

export type TeamToolHarness = ReturnType<typeof teamToolsOf>
