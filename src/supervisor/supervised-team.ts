import type { Membership } from '../agent/membership.ts'
import type { SessionContext } from '../agent/session-context.ts'
import { isVendorType } from '../agent/vendor-agents.ts'
import { scheduler } from '../journal/scheduler.ts'
import type { Author, TeamEvent } from '../team/event.ts'
import { isOneShot, type Member } from '../team/members/member.ts'
import { nameKey } from '../team/name.ts'
import { isRefusal, type Refusal } from '../team/refusal.ts'
import type { Request } from '../team/request.ts'
import { memberNamed, type TeamState, withOneShots } from '../team/state.ts'
import type { SpawnedTeammate, SpawnOptions } from '../tools/team-control.ts'
import { concernedMembers } from './concerned-members.ts'
import { type Lifecycle, startLifecycle } from './lifecycle.ts'
import { createOpenAgents } from './open-agents.ts'
import { forceStop, openShutdowns, overdueShutdowns } from './shutdown/shutdown.ts'
import { createFailures } from './teammate/failures.ts'
import { createHealthTracker } from './teammate/health.ts'
import { createOneShots, type OneShots } from './teammate/one-shots.ts'
import { typeOfTeammate } from './teammate/open-teammate.ts'
import type { TeammateFactory } from './teammate/teammate-factory.ts'
import { watchTeam } from './watch-team.ts'

/** The teammates of one team that this process runs; `by` is the lead. Supervision is code and costs no tokens. */
export interface SupervisedTeam extends Membership {
  spawn(options: SpawnOptions): Promise<SpawnedTeammate | Refusal>
  readonly oneShots: OneShots
  /** Is called when a task failed although it was tried without its teammate too. */
  onTaskFailed(listener: (task: string, problem: string) => void): void
  /** Brings back every teammate whose process died: conversation, claim, unread mail and open requests. */
  resume(): Promise<readonly string[]>
  /** No teammate works, and nothing that waits will make one work. */
  readonly isIdle: boolean
  /** A teammate has ended, and it is not decided yet what becomes of its work. */
  readonly isRecovering: boolean
  /** A limit of the run prevents a teammate from working. */
  readonly isHeldByLimit: boolean
  /** Wakes one teammate that is idle with a task in hand although nothing else will; false when there is none. */
  remind(): boolean
  /** The user ends the turn of this teammate. False if it is not in one. */
  interrupt(name: string): boolean
  /** Stops every agent here for now and parks those in the middle of a task; all of it stays resumable. */
  parkAll(reason: string): Promise<void>
  /** Ends every teammate in this process. */
  close(): Promise<void>
}

const INTERRUPTED = 'its run was interrupted'

export function openSupervisedTeam(
  context: SessionContext,
  { team, by: lead }: Membership,
  factory: TeammateFactory,
): SupervisedTeam {
  const { clock, run } = context
  const runtime = context.store.presence.self
  const teammates = new Map<string, Lifecycle>()
  const agents = createOpenAgents(context, { team }, factory.openAgent)
  /** Agents that have ended, with what follows from it. */
  const endings = new Set<Promise<void>>()
  const health = createHealthTracker()
  const oneShots = createOneShots(context, { team, by: lead }, factory.runInPlaceOf)
  let reportFailedTask = (_task: string, _problem: string) => {}
  const failures = createFailures(
    context,
    { team, by: lead },
    {
      oneShots,
      health,
      async bringBack(member, held) {
        const by = await bringBack(member, held)
        if (by) start(by, true)
        return by !== undefined
      },
      onTaskFailed: (task, problem) => reportFailedTask(task, problem),
    },
  )
  const closing = new AbortController()
  /** Teammates that the check which is due asks for their next step. */
  let concerned = new Set<string>()
  let isEachConcerned = false
  let isCheckDue = false
  let cancelDeadline = () => {}
  const stopWatching = team.watch((applied) => {
    for (const event of applied.events) if (event.type === 'member.stopped') note(health.change(event, 'stop'))
    const members = concernedMembers(applied)
    if (members === 'all') isEachConcerned = true
    else for (const key of members) if (teammates.has(key)) concerned.add(key)
    if (isCheckDue || (!isEachConcerned && concerned.size === 0)) return
    isCheckDue = true
    queueMicrotask(checkForWork)
  })
  const watching = watchTeam({ team, clock, reportProblem }, closing.signal)

  function checkForWork(): void {
    const keys = isEachConcerned ? teammates.keys() : concerned
    concerned = new Set()
    isCheckDue = isEachConcerned = false
    if (closing.signal.aborted) return
    for (const key of keys) teammates.get(key)?.checkForWork()
    cancelDeadline()
    const deadlines = openShutdowns(team.state).flatMap(({ id, deadline }) => (forced.has(id) ? [] : (deadline ?? [])))
    if (deadlines.length > 0)
      cancelDeadline = clock.in(
        Math.max(0, Math.min(...deadlines) - clock.now()),
        () => void stopOverdue().catch(reportProblem),
      )
  }

  function note(events: readonly TeamEvent[]): void {
    if (events.length > 0) team.report(events, { by: lead, until: 'written' }).catch(reportProblem)
  }

  /** A failure that no caller awaits: a working agent fails with it too, and that ends the run. */
  function reportProblem(error: unknown): void {
    run.emit({ type: 'note', agent: 'lead', text: `${team.name}: ${String(error)}` })
    run.onChange()
  }

  const forced = new Set<string>()

  async function stopOverdue(): Promise<void> {
    for (const request of overdueShutdowns(team.state, clock.now())) {
      if (forced.has(request.id)) continue
      forced.add(request.id)
      const teammate = teammates.get(nameKey(request.to))
      if (teammate?.generation === request.toGeneration) await teammate.end()
      await forceStop(context, { team, by: lead }, request)
    }
  }

  /**
   * Agents that are spawned together start one after the other: the first calls its model while the others still open
   * their conversations, and its answer does not come in with theirs.
   */
  function nextStart(): Promise<void> {
    return new Promise((resolve) => scheduler.enqueue({}, resolve))
  }

  function start(by: Author, isResumed: boolean): void {
    const key = nameKey(by.name)
    const teammate = startLifecycle({
      context,
      lead: { team, by: lead },
      agents,
      health,
      by,
      started: nextStart(),
      isResumed,
      urgentMail: () => urgentMailOf(team.state, by.name),
      areOthersSilent: () =>
        [...teammates.values()].every((other) => other === teammate || !other.isBusy || other.isSilent),
      onEvent: (event) => failures.onEvent(by.name, event),
      onEnd(cause) {
        if (teammates.get(key)?.generation === by.generation) teammates.delete(key)
        const report = (error: unknown) => run.emit({ type: 'note', agent: by.name, text: String(error) })
        const ended = agents
          .clear(by)
          // It is lost nevertheless, and is brought back with what was written.
          .catch(report)
          .then(() => (cause === undefined ? undefined : failures.recordLoss(by, cause)))
          .catch(report)
          .finally(() => {
            endings.delete(ended)
            run.onChange()
          })
        endings.add(ended)
      },
    })
    teammates.set(key, teammate)
  }

  async function spawn(wanted: SpawnOptions): Promise<SpawnedTeammate | Refusal> {
    const { name, role = name, prompt, task } = wanted
    const type = typeOfTeammate(context, role, wanted.agentType)
    if (isVendorType(type))
      context.vendorAgents?.check(type, { requirePlan: wanted.requirePlan ?? false, limits: context.limits })
    const refusal = context.roles?.whyNotMember(role, team.state) ?? failures.admit(name)
    if (refusal) return refusal
    const known = memberNamed(team.state, name)
    const idle = teammates.get(nameKey(name))
    const profile = {
      agentType: wanted.agentType ?? null,
      model: wanted.model ?? null,
      requirePlan: wanted.requirePlan ?? false,
    }
    const answer = await team.run(
      {
        ...({ type: 'member.spawn', name, role, runtime, profile } as const),
        ...(prompt !== undefined && { prompt }),
        ...(task !== undefined && { task }),
      },
      { by: lead, until: 'written' },
    )
    if (isRefusal(answer)) return answer
    // The earlier generation is idle; what it would still write does not count.
    await idle?.end()
    start({ name: answer.member!.name, generation: answer.member!.generation, epoch: lead.epoch! }, false)
    note(health.change(answer.member!, 'start'))
    await team.syncState()
    return {
      name: answer.member!.name,
      team: team.name,
      role,
      isKnown: known !== undefined,
      task,
      plans: context.supervisor.plans,
    }
  }

  /** A new generation of a teammate that was lost, with the task it held and the plan it had submitted. */
  async function bringBack(
    { name, role, profile }: Member,
    held?: string,
    open: readonly Request[] = [],
  ): Promise<Author | undefined> {
    const command = { type: 'member.spawn', name, role, runtime, ...(profile && { profile }) } as const
    let answer = await team.run({ ...command, ...(held !== undefined && { task: held }) }, { by: lead })
    if (isRefusal(answer) && held !== undefined) answer = await team.run(command, { by: lead })
    if (isRefusal(answer)) return undefined
    const by = { name, generation: answer.member!.generation, epoch: lead.epoch! }
    for (const { kind, to, content } of open) await team.run({ type: 'request.open', kind, to, content }, { by })
    note(health.change(answer.member!, 'start'))
    return by
  }

  return {
    team,
    by: lead,
    spawn,
    oneShots,
    onTaskFailed(listener) {
      reportFailedTask = listener
    },
    async resume() {
      failures.resume()
      const resumed: Author[] = []
      for (const member of withOneShots(team.state)) {
        if (member.kind !== 'agent' || nameKey(member.name) === 'lead' || member.status === 'stopped') continue
        // Without a runtime it was idle, or parked, when its session was closed.
        const isOurs = [runtime, null].includes(member.runtime) && !teammates.has(nameKey(member.name))
        if (!isOurs && member.status !== 'lost') continue
        if (isOurs) await team.run({ type: 'member.park', name: member.name, reason: INTERRUPTED }, { by: lead })
        if (isOneShot(member)) {
          if (!(await oneShots.finish(member, (task, problem) => reportFailedTask(task, problem))))
            await team.run({ type: 'member.stop', name: member.name, reason: 'its process ended' }, { by: lead })
          continue
        }
        const by = await bringBack(member, lastHeld(member), unansweredPlans(member))
        if (by) resumed.push(by)
      }
      // Only now, or the first of them would claim the task that the next one held.
      for (const by of resumed) start(by, true)
      return resumed.map(({ name }) => name)
    },
    get isIdle() {
      return (
        !isRecovering() &&
        oneShots.running === 0 &&
        [...teammates.values()].every((teammate) => !teammate.isBusy) &&
        openShutdowns(team.state).length === 0
      )
    },
    get isRecovering() {
      return isRecovering()
    },
    get isHeldByLimit() {
      return oneShots.isHeldByLimit || [...teammates.values()].some((teammate) => teammate.isHeldByLimit)
    },
    remind: () => [...teammates.values()].some((teammate) => teammate.remind()),
    interrupt: (name) => teammates.get(nameKey(name))?.interrupt() ?? false,
    parkAll,
    async close() {
      closing.abort()
      stopWatching()
      cancelDeadline()
      failures.close()
      await end()
      await watching
      await agents[Symbol.asyncDispose]()
    },
  }

  function isRecovering(): boolean {
    return endings.size > 0 || failures.isBusy
  }

  /** Requests for plan approval that were open when their teammate was lost: the next generation submits them again. */
  function unansweredPlans({ name, generation }: Member): Request[] {
    const plans = [...team.state.requests.values()].filter(
      ({ kind, from, fromGeneration }) =>
        kind === 'plan_approval' && nameKey(from) === nameKey(name) && fromGeneration === generation,
    )
    return plans.slice(-1).filter(({ state }) => state === 'pending' || state === 'void')
  }

  async function parkAll(reason: string): Promise<void> {
    await end()
    for (const { name, kind, status, runtime: where } of withOneShots(team.state)) {
      if (kind !== 'agent' || nameKey(name) === 'lead' || where !== runtime || status === 'stopped') continue
      // What cannot be written now is parked when the session is closed, or by the process that resumes it.
      await team.run({ type: 'member.park', name, reason }, { by: lead }).catch(reportProblem)
    }
  }

  async function end(): Promise<void> {
    failures.halt()
    await Promise.all([...teammates.values()].map((teammate) => teammate.end()))
    await Promise.all(endings)
    // Teammates that were brought back meanwhile.
    await Promise.all([...teammates.values()].map((teammate) => teammate.end()))
  }

  /** The task that the lost generation held: it is pending again, and the next generation continues it. */
  function lastHeld({ name }: Member): string | undefined {
    for (const task of team.state.tasks.values()) {
      const last = task.ended.at(-1)
      const isCutOff = last?.end === 'owner lost' || last?.end === 'owner parked'
      if (task.status === 'pending' && isCutOff && nameKey(last.owner) === nameKey(name)) return task.id
    }
    return undefined
  }
}

/** Ids of urgent messages from other members that wait for this member. */
export function urgentMailOf(state: TeamState, name: string): string[] {
  const key = nameKey(name)
  const ids: string[] = []
  for (const { message, external } of state.mailboxes.get(key)?.values() ?? [])
    if (message.urgent === true && !external && nameKey(message.from) !== key) ids.push(message.id)
  return ids
}
