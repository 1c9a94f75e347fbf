import { limitOf, type ScaledRole, type SessionContext } from '../../agent/session-context.ts'
import { fallbackText, haltedText, oneShotFailedText, workOverRequest } from '../../prompts/reports.ts'
import { isOneShot, isPresent, type Member } from '../../team/members/member.ts'
import { roleKey } from '../../team/members/role.ts'
import { nameKey } from '../../team/name.ts'
import { claimableTasks } from '../../team/progress/claimable-tasks.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import { heldBy, memberNamed, withOneShots } from '../../team/state.ts'
import type { Task } from '../../team/task.ts'
import { shutDownTeam } from '../shutdown/shut-down-team.ts'
import type { SupervisedTeam } from '../supervised-team.ts'

/** Starts the agents of scaled roles: one per ready task, while the busy ones leave room below the cap. */
export interface Scaling {
  /** Before anyone is brought back: a role that now runs one-shot has no teammates any more. */
  begin(): Promise<void>
  /** An agent is missing: there is a task that no free agent of its role will take, and room for one more. */
  readonly isDue: boolean
  /** Starts one agent. */
  startNext(): Promise<void>
  /** A limit of the run keeps a ready task from being started. */
  readonly isHeldByLimit: boolean
  /** A run is over, and teammates stay for the next one: those that were lost stop, because others do their tasks. */
  stopLost(): Promise<void>
  /** The work is over: teammates of scaled roles that hold no task stop. */
  end(): Promise<void>
}

export function createScaling(
  context: Pick<SessionContext, 'scaling' | 'limits' | 'run' | 'clock' | 'uncommitted' | 'roles' | 'store'>,
  supervised: SupervisedTeam,
): Scaling {
  const { team, by, oneShots } = supervised
  /** Roles whose teammates could not be started. */
  const fallenBack = new Set<string>()
  /** A task failed with every agent that could do it: no further one is started. */
  let isHalted = false
  if (context.scaling.length > 0) supervised.onTaskFailed(halt)

  /** Agents of the role that are there: teammates, and those that do one task. */
  const agentsOf = ({ role }: ScaledRole) => withOneShots(team.state).filter((member) => isAgentOf(member, role))

  /** A role that joins the team at a later step takes no task before it, not even one-shot. */
  function isDue({ role }: ScaledRole): boolean {
    const refusal = context.roles?.whyNotMember(role, team.state)
    return refusal === undefined || ('problem' in refusal.details && refusal.details.problem === 'task_only_role')
  }

  /** The next task for which an agent is to be started. */
  function missing(scaled: ScaledRole): Task | undefined {
    const agents = agentsOf(scaled)
    const startable = scaled.cap - agents.length
    if (startable <= 0) return undefined
    const free = agents.filter((member) => !heldBy(team.state, member.name) && !isOneShot(member)).length
    return claimableTasks(team.state, scaled.role, free + 1)[free]
  }

  const next = () => {
    for (const scaled of context.scaling) {
      const task = isDue(scaled) ? missing(scaled) : undefined
      if (task) return { scaled, task }
    }
    return undefined
  }

  async function startTeammate({ role }: ScaledRole): Promise<Refusal | undefined> {
    const answer = await supervised.spawn({ name: freeName(role), role })
    if (!isRefusal(answer)) fallenBack.delete(role)
    return isRefusal(answer) ? answer : undefined
  }

  /** The first number whose member was never there or has stopped. */
  function freeName(role: string): string {
    const word = nameIn(role)
    for (let i = 1; ; i++) {
      const status = memberNamed(team.state, `${word}-${i}`)?.status
      if (status === undefined || status === 'stopped') return `${word}-${i}`
    }
  }

  async function startOneShot({ role }: ScaledRole, { id }: Task): Promise<void> {
    const word = nameIn(role)
    const started = await oneShots.start({
      task: id,
      name: `${word}-${id.replace('/', '-')}`,
      like: { name: word, role, profile: null },
      isReported: false,
      failureText: oneShotFailedText,
      onFailing: (problem) => halt(id, problem),
    })
    if (started === undefined) return
    if (isRefusal(started)) return halt(id, refusalText(started))
    void started.ended.catch((error) => halt(id, String(error)))
  }

  function halt(task: string, problem: string): void {
    if (isHalted) return
    isHalted = true
    context.run.emit({ type: 'problem', agent: 'lead', text: haltedText(task, problem) })
    context.run.onChange()
  }

  return {
    async begin() {
      isHalted = false
      for (const scaled of context.scaling.filter(({ mode }) => mode === 'task'))
        for (const { name } of agentsOf(scaled).filter((member) => !isOneShot(member)))
          await team.run({ type: 'member.stop', name, reason: 'its role runs one-shot now' }, { by })
    },
    get isDue() {
      // A teammate that was lost may be brought back for its task.
      if (context.scaling.length === 0 || isHalted || supervised.isRecovering) return false
      return limitOf(context) === undefined && next() !== undefined
    },
    async startNext() {
      const due = next()
      if (!due) return
      const { scaled, task } = due
      if (scaled.mode === 'task') return startOneShot(scaled, task)
      const refusal = await startTeammate(scaled)
      if (!refusal) return
      if (!fallenBack.has(scaled.role)) {
        fallenBack.add(scaled.role)
        const text = fallbackText(refusalText(refusal), 'task', scaled.role)
        context.run.emit({ type: 'note', agent: 'lead', text })
      }
      await startOneShot(scaled, task)
    },
    get isHeldByLimit() {
      return !isHalted && limitOf(context) !== undefined && next() !== undefined
    },
    async stopLost() {
      const roles = new Set(context.scaling.map(({ role }) => roleKey(role)))
      for (const { name, role, status, kind } of withOneShots(team.state))
        if (kind === 'agent' && status === 'lost' && roles.has(roleKey(role)))
          await team.run({ type: 'member.stop', name, reason: 'it was lost, and the run is over' }, { by })
    },
    async end() {
      const meant = new Set(context.scaling.flatMap(agentsOf).map(({ name }) => nameKey(name)))
      const isMeant = ({ name }: Member) => meant.has(nameKey(name)) && !heldBy(team.state, name)
      if (meant.size === 0) return
      // Of an earlier process, and not brought back since: it cannot answer.
      for (const member of withOneShots(team.state).filter(isMeant))
        if (member.runtime !== context.store.presence.self)
          await team.run({ type: 'member.stop', name: member.name, reason: 'the work is over' }, { by })
      const reason = [...team.state.steps.values()].length > 0 ? 'phase_complete' : 'plan_complete'
      await shutDownTeam(context, supervised, { reason, request: workOverRequest(reason, team.name), isMeant })
    },
  }
}

function isAgentOf(member: Member, role: string): boolean {
  const { kind, name, status } = member
  if (kind !== 'agent' || nameKey(name) === 'lead' || roleKey(member.role) !== roleKey(role)) return false
  return isPresent(member) && status !== 'lost' && status !== 'stopping'
}

/** A role as a part of a name: `frontend dev` becomes `frontend-dev`. */
function nameIn(role: string): string {
  return (
    role
      .replace(/[^A-Za-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 40) || 'agent'
  )
}
