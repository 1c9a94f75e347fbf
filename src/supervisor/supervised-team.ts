import { scheduler } from '../journal/scheduler.ts'
import type { Author, TeamEvent } from '../team/event.ts'
import type { Member } from '../team/member.ts'
import { nameKey } from '../team/name.ts'
import { isRefusal, type Refusal } from '../team/refusal.ts'
import type { Request } from '../team/request.ts'
import { memberNamed, roster, unreadOf } from '../team/state.ts'
import type { SpawnedTeammate, SpawnOptions } from '../tools/team-control.ts'
import { createFailures, isReplacement } from './failures.ts'
import { createHealthTracker } from './health.ts'
import { type Lifecycle, startLifecycle } from './lifecycle.ts'
import { createOpenAgents } from './open-agents.ts'
import { forceStop, openShutdowns, overdueShutdowns } from './shutdown.ts'
import type { SupervisedTeamOptions } from './supervisor-options.ts'
import { watchTeam } from './watch-team.ts'

/** The agents of one team that this process runs, and the one who looks after them. It is code and costs no tokens. */
export interface SupervisedTeam {
  spawn(plan: SpawnOptions): Promise<SpawnedTeammate | Refusal>
  /** Brings back everybody whose process has died: conversation, claim, unread mail and open requests. */
  resume(): Promise<readonly string[]>
  /** Nobody works, and nothing that lies there will make anybody work. */
  readonly isIdle: boolean
  /** A teammate has something to do and may not, because a limit of the run is reached. */
  readonly isHeldByLimit: boolean
  /** Wakes somebody who rests with a task in its hands although nothing else will; whether there was anybody. */
  remind(): boolean
  /** Resolves when all of these have stopped, refused to, or had time enough. */
  waitUntilStopped(names: readonly string[]): Promise<void>
  /** Stops every agent here for now and parks those in the middle of a task; all of it stays resumable. */
  parkAll(reason: string): Promise<void>
  /** The same, for good. */
  close(): Promise<void>
}

const INTERRUPTED = 'its run was interrupted'

/** Seconds after which nobody waits any longer for those who were asked to stop. */
const MAX_SHUTDOWN_S = 35

export function openSupervisedTeam(plan: SupervisedTeamOptions): SupervisedTeam {
  const { team, lead, clock, runtime } = plan
  const mates = new Map<string, Lifecycle>()
  const desks = createOpenAgents(plan)
  /** Those who are going, with what follows from it. */
  const endings = new Set<Promise<void>>()
  const health = createHealthTracker()
  const losses = createFailures(plan, health, async (member, held) => {
    const by = await bringBack(member, held)
    if (by) start(by, true)
    return by !== undefined
  })
  const closing = new AbortController()
  let isLookDue = false
  let alarm = () => {}
  const stopWatching = team.watch(({ events }) => {
    for (const event of events) if (event.type === 'member.stopped') note(health.change(event, 'stop'))
    if (isLookDue) return
    isLookDue = true
    queueMicrotask(look)
  })
  const watching = watchTeam({ team, clock, trouble }, closing.signal)

  function look(): void {
    isLookDue = false
    if (closing.signal.aborted) return
    for (const mate of mates.values()) {
      // Looked at in any case: whoever rests is woken by it and need not be interrupted afterwards.
      const isUrgent = hasUrgentMail(mate)
      if (isUrgent && mate.isBusy) mate.interrupt()
      mate.checkForWork()
    }
    alarm()
    const deadlines = openShutdowns(team.state).flatMap(({ id, deadline }) => (forced.has(id) ? [] : (deadline ?? [])))
    if (deadlines.length > 0)
      alarm = clock.in(Math.max(0, Math.min(...deadlines) - clock.now()), () => void force().catch(trouble))
  }

  function note(events: readonly TeamEvent[]): void {
    if (events.length > 0) team.report(events, { by: lead, until: 'written' }).catch(trouble)
  }

  /** What nobody waits for: whoever works meets the same trouble, and the run ends with it. */
  function trouble(error: unknown): void {
    plan.emit({ type: 'note', agent: 'lead', text: `${team.name}: ${String(error)}` })
    plan.onIdle()
  }

  const forced = new Set<string>()
  const seen = new Set<string>()
  /** An urgent letter drops what is under way once. */
  function hasUrgentMail({ name }: Lifecycle): boolean {
    const fresh = unreadOf(team.state, name).filter(
      ({ message, external }) => message.urgent === true && !external && !seen.has(`${name}/${message.id}`),
    )
    for (const { message } of fresh) seen.add(`${name}/${message.id}`)
    return fresh.length > 0
  }

  async function force(): Promise<void> {
    for (const request of overdueShutdowns(team.state, clock.now())) {
      if (forced.has(request.id)) continue
      forced.add(request.id)
      const mate = mates.get(nameKey(request.to))
      if (mate?.generation === request.toGeneration) await mate.end()
      await forceStop(plan, request)
    }
  }

  /**
   * Those who are made together begin one after the other: the first asks its model while the others still open their
   * conversations, and its answer does not come in with theirs.
   */
  function oneByOne(): Promise<void> {
    return new Promise((resolve) => scheduler.enqueue({}, resolve))
  }

  function start(by: Author, isBack: boolean): void {
    const key = nameKey(by.name)
    const mate = startLifecycle({
      plan,
      desks,
      health,
      by,
      begin: oneByOne(),
      isBack,
      areOthersSilent: () => [...mates.values()].every((other) => other === mate || !other.isBusy || other.isSilent),
      onAnswer: () => losses.onAnswer(by.name),
      onEnd(cause) {
        if (mates.get(key)?.generation === by.generation) mates.delete(key)
        const say = (error: unknown) => plan.emit({ type: 'note', agent: by.name, text: String(error) })
        const ended = desks
          .clear(by)
          // It is lost all the same, and comes back with what was written.
          .catch(say)
          .then(() => (cause === undefined ? undefined : losses.recordLoss(by, cause)))
          .catch(say)
          .finally(() => {
            endings.delete(ended)
            // Whoever waits for everybody to rest need not wait for this one.
            plan.onIdle()
          })
        endings.add(ended)
      },
    })
    mates.set(key, mate)
  }

  async function spawn(wish: SpawnOptions): Promise<SpawnedTeammate | Refusal> {
    const { name, role = name, prompt, task } = wish
    const closed = losses.admit(name)
    if (closed) return closed
    const known = memberNamed(team.state, name)
    const idle = mates.get(nameKey(name))
    const profile = {
      agentType: wish.agentType ?? null,
      model: wish.model ?? null,
      requirePlan: wish.requirePlan ?? false,
    }
    const answer = await team.run(
      { type: 'member.spawn', name, role, runtime, prompt, profile, ...(task !== undefined && { task }) },
      { by: lead, until: 'written' },
    )
    if (isRefusal(answer)) return answer
    // The one before it rests; whatever it would still write is fenced.
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
      plans: plan.settings.plans,
    }
  }

  /** A new life for somebody who was lost, with the task it held and what it had asked. */
  async function bringBack(
    { name, role, profile }: Member,
    held?: string,
    open: readonly Request[] = [],
  ): Promise<Author | undefined> {
    const wish = { type: 'member.spawn', name, role, runtime, ...(profile && { profile }) } as const
    let answer = await team.run({ ...wish, ...(held !== undefined && { task: held }) }, { by: lead })
    if (isRefusal(answer) && held !== undefined) answer = await team.run(wish, { by: lead })
    if (isRefusal(answer)) return undefined
    const by = { name, generation: answer.member!.generation, epoch: lead.epoch! }
    for (const { kind, to, content } of open) await team.run({ type: 'request.open', kind, to, content }, { by })
    note(health.change(answer.member!, 'start'))
    return by
  }

  return {
    spawn,
    async resume() {
      losses.resume()
      const back: Author[] = []
      for (const member of roster(team.state)) {
        if (member.kind !== 'agent' || nameKey(member.name) === 'lead' || member.status === 'stopped') continue
        // Without a runtime it rested, or was parked, when its session was closed.
        const isOurs = [runtime, null].includes(member.runtime) && !mates.has(nameKey(member.name))
        if (!isOurs && member.status !== 'lost') continue
        if (isOurs) await team.run({ type: 'member.park', name: member.name, reason: INTERRUPTED }, { by: lead })
        if (isReplacement(member)) {
          await team.run(
            { type: 'member.stop', name: member.name, reason: 'its errand died with its process' },
            { by: lead },
          )
          continue
        }
        const by = await bringBack(member, lastHeld(member), unansweredPlans(member))
        if (by) back.push(by)
      }
      // Only now, or the first of them would take from the board what the next one held.
      for (const by of back) start(by, true)
      return back.map(({ name }) => name)
    },
    get isIdle() {
      return (
        endings.size === 0 &&
        !losses.isBusy &&
        [...mates.values()].every((mate) => !mate.isBusy) &&
        openShutdowns(team.state).length === 0
      )
    },
    get isHeldByLimit() {
      return [...mates.values()].some((mate) => mate.isHeldByLimit)
    },
    remind: () => [...mates.values()].some((mate) => mate.remind()),
    waitUntilStopped(names) {
      return new Promise((resolve) => {
        const stop = team.watch(check)
        const late = clock.in(MAX_SHUTDOWN_S, done)
        check()
        function check(): void {
          if (names.every(isGone)) done()
        }
        function done(): void {
          stop()
          late()
          resolve()
        }
      })
    },
    parkAll: halt,
    async close() {
      closing.abort()
      stopWatching()
      alarm()
      losses.close()
      await end()
      await watching
      await desks[Symbol.asyncDispose]()
    },
  }

  /** Died with whoever sent them, but nobody had answered: the next life asks again. */
  function unansweredPlans({ name, generation }: Member): Request[] {
    const plans = [...team.state.requests.values()].filter(
      ({ kind, from, fromGeneration }) =>
        kind === 'plan_approval' && nameKey(from) === nameKey(name) && fromGeneration === generation,
    )
    return plans.slice(-1).filter(({ state }) => state === 'pending' || state === 'void')
  }

  /** Stopped or lost, or it said that it will not stop. */
  function isGone(name: string): boolean {
    const member = memberNamed(team.state, name)
    if (!member || member.status === 'stopped' || member.status === 'lost') return true
    const asked = [...team.state.requests.values()].findLast(
      ({ kind, to }) => kind === 'shutdown' && nameKey(to) === nameKey(name),
    )
    return asked?.state === 'rejected' || asked?.state === 'void'
  }

  async function halt(reason: string): Promise<void> {
    await end()
    for (const { name, kind, status, runtime: where } of roster(team.state)) {
      if (kind !== 'agent' || nameKey(name) === 'lead' || where !== runtime || status === 'stopped') continue
      // What cannot be written now is parked when the session is closed, or by the process that resumes it.
      await team.run({ type: 'member.park', name, reason }, { by: lead }).catch(trouble)
    }
  }

  async function end(): Promise<void> {
    losses.halt()
    await Promise.all([...mates.values()].map((mate) => mate.end()))
    await Promise.all(endings)
    // Whoever was brought back while we waited.
    await Promise.all([...mates.values()].map((mate) => mate.end()))
  }

  /** The task a dead generation held: it lies on the board again, and it is that one's to go on with. */
  function lastHeld({ name }: Member): string | undefined {
    for (const task of team.state.tasks.values()) {
      const last = task.ended.at(-1)
      const isCutOff = last?.end === 'owner lost' || last?.end === 'owner parked'
      if (task.status === 'pending' && isCutOff && nameKey(last.owner) === nameKey(name)) return task.id
    }
    return undefined
  }
}
