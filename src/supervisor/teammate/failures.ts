import type { AgentEvent } from '../../agent/agent-event.ts'
import type { Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { TranscriptDamaged } from '../../agent/transcript/lost-transcript.ts'
import { ConversationRewound } from '../../journal/fold/rewound.ts'
import { createIds } from '../../journal/ids.ts'
import {
  fallbackText,
  noReplacementText,
  replacementFailedText,
  replacementRefusedText,
  teammateLostText,
} from '../../prompts/reports.ts'
import { suits, tasksLeftTo } from '../../team/board/decide-claims.ts'
import type { Author } from '../../team/event.ts'
import {
  admit,
  alive,
  type Breaker,
  failsRepeatedly,
  lost,
  PAUSE_S,
  PROBE_S,
  settled,
  worked,
} from '../../team/members/breaker.ts'
import { type Member, ONE_SHOT_TYPE } from '../../team/members/member.ts'
import { isRefusal, type Refusal, refuse } from '../../team/refusal.ts'
import { heldBy, memberNamed, roster } from '../../team/state.ts'
import type { HealthTracker } from './health.ts'
import type { OneShots } from './one-shots.ts'
import { Stalled } from './stalled.ts'

/** Handles teammates that fail: brings them back, runs a replacement for their task, or reports that neither is possible. */
export interface Failures {
  recordLoss(by: Author, cause: unknown): Promise<void>
  /** May a teammate of this name be spawned now? A refusal says what to do instead. */
  admit(name: string): Refusal | undefined
  onEvent(name: string, event: AgentEvent): void
  readonly isBusy: boolean
  /** The run ended: no teammate is brought back and no replacement starts until `resume` is called. */
  halt(): void
  resume(): void
  close(): void
}

/** Parts of an answer; an event about a wait is none. */
const PIECES: ReadonlySet<AgentEvent['type']> = new Set(['text', 'reasoning', 'tool_call'])

export interface FailuresOptions {
  readonly oneShots: OneShots
  readonly health: HealthTracker
  bringBack(member: Member, held?: string): Promise<boolean>
  /** A task failed as a one-shot too: no agent is left that could do it. */
  onTaskFailed(task: string, problem: string): void
}

export function createFailures(
  context: SessionContext,
  { team, by: lead }: Membership,
  { oneShots, health, bringBack, onTaskFailed }: FailuresOptions,
): Failures {
  const { clock, run } = context
  const newId = createIds()
  const closing = new AbortController()
  /** As this process knows it; every change is reported to the journal. */
  let breaker = team.state.breaker.get()
  let inProgress = 0
  let isHalted = false
  let cancelTimer = () => {}
  /** Tasks whose replacement has to wait, because another claim reserves their files: it starts when they are free. */
  const waitingTasks = new Map<string, { readonly member: Member; readonly reason: string }>()
  const stopWatching = team.watch(startWaiting)

  function change(next: Breaker, reason: string): void {
    const before = breaker
    if (before === next) return
    breaker = next
    report([{ type: 'breaker.changed', breaker: next, reason }])
    if (before.state !== next.state)
      run.emit({ type: 'note', agent: 'lead', text: `[BREAKER] ${before.state} → ${next.state}: ${reason}` })
    if (before.state !== next.state || before.openedAt !== next.openedAt || before.probe !== next.probe) awaitNext(next)
  }

  /** What the breaker does when nothing else happens: a pause ends, or a probe has given no sign of life. */
  function awaitNext({ state, probe }: Breaker): void {
    cancelTimer()
    if (state === 'open') probeAfterPause()
    if (probe === null) return
    const silent = `${probe.name} did not answer within ${PROBE_S} s`
    cancelTimer = clock.in(PROBE_S, () => change(settled(breaker, clock.now()), silent))
  }

  function probeAfterPause(): void {
    cancelTimer()
    cancelTimer = clock.in(PAUSE_S, () => void probe().catch(reportProblem))
  }

  async function recordLoss(by: Author, cause: unknown): Promise<void> {
    const member = memberNamed(team.state, by.name)
    if (!member || member.generation !== by.generation || closing.signal.aborted) return
    inProgress++
    try {
      const task = heldBy(team.state, by.name)
      const reason = cause instanceof Error ? cause.message : String(cause)
      const answer = await team.run({ type: 'member.lose', name: by.name, reason }, { by: lead })
      if (isRefusal(answer)) return
      report(health.change(member, 'disappeared', cause instanceof Stalled))
      run.emit({ type: 'note', agent: by.name, text: `[HEALTH] Agent ${by.name} disappeared: ${reason}` })
      // When a database server takes over, many conversations are lost at once, and those brought back do not fail again.
      const isDamaged = cause instanceof TranscriptDamaged
      if (isDamaged) run.emit({ type: 'problem', agent: by.name, text: `${by.name} cannot continue. ${reason}` })
      if (!isDamaged && !(cause instanceof ConversationRewound))
        change(lost(breaker, by.name, clock.now()), `${by.name} was lost`)
      const isFree = !tasksLeftTo(team.state, member).some(({ id }) => id === task?.id)
      await mailLead(by.name, teammateLostText(by.name, reason, task, isFree))
      // A damaged transcript stays damaged until a person repairs it.
      const admitted = isDamaged ? { breaker, isAdmitted: false } : admit(breaker, by.name, clock.now())
      change(admitted.breaker, `${by.name} is tried`)
      if (isHalted) return
      const isTooOften = failsRepeatedly(breaker, by.name, clock.now())
      if (admitted.isAdmitted && !isTooOften && (await bringBack(member, task?.id))) return
      if (admitted.isAdmitted && isTooOften) probeAfterPause()
      if (!isHalted && task && member.profile?.requirePlan) await mailLead(by.name, noReplacementText(by.name, task.id))
      // Those of earlier losses too, that no member claimed since: other agents leave them alone.
      const left = isHalted ? [] : tasksLeftTo(team.state, member).map(({ id }) => id)
      await Promise.all(left.map((id) => fallBack(member, id, reason)))
    } finally {
      inProgress--
    }
  }

  /** A one-shot member does the task; if that fails too, the task fails, and the lead gets both reasons. */
  async function fallBack(member: Member, id: string, reason: string): Promise<void> {
    const text = fallbackText(reason, 'task', member.name)
    run.emit({ type: 'note', agent: member.name, text })
    const shot = await oneShots.start({
      task: id,
      name: `${member.name.slice(0, 50)}-${ONE_SHOT_TYPE}`,
      like: member,
      isReported: true,
      failureText: (problem) => replacementFailedText(member.name, reason, problem),
      onFailing: (problem) => onTaskFailed(id, problem),
    })
    // Another member claimed it first.
    if (shot === undefined && team.state.tasks.has(id)) return
    if (shot === undefined || isRefusal(shot)) {
      const task = leftTask(member, id)
      if (task && !suits(team.state, task, member)) waitingTasks.set(id, { member, reason })
      return mailLead(member.name, replacementRefusedText(id, shot))
    }
    await shot.ended
  }

  const leftTask = (member: Member, id: string) => tasksLeftTo(team.state, member).find((task) => task.id === id)

  function startWaiting(): void {
    for (const [id, { member, reason }] of waitingTasks) {
      const task = leftTask(member, id)
      if (task && (isHalted || !suits(team.state, task, member))) continue
      waitingTasks.delete(id)
      if (!task) continue
      inProgress++
      void fallBack(member, id, reason)
        .catch(reportProblem)
        .finally(() => {
          inProgress--
          run.onChange()
        })
    }
  }

  /** The pause is over: one lost teammate is brought back. */
  async function probe(): Promise<void> {
    if (closing.signal.aborted || isHalted) return
    const waiting = roster(team.state).find(
      (member) => member.kind === 'agent' && member.status === 'lost' && member.name !== 'lead',
    )
    if (!waiting) return change(settled(breaker, clock.now()), 'the pause is over')
    const { breaker: next, isAdmitted } = admit(breaker, waiting.name, clock.now())
    change(next, `the pause is over and ${waiting.name} is tried`)
    if (isAdmitted) await bringBack(waiting)
  }

  async function mailLead(from: string, content: string): Promise<void> {
    const message = { id: newId(), type: 'error', from, to: 'lead', content, timestamp: clock.now() } as const
    await team.report([{ type: 'message.sent', message }], { by: lead })
  }

  function report(events: Parameters<typeof team.report>[0]): void {
    if (events.length > 0) team.report(events, { by: lead, until: 'written' }).catch(reportProblem)
  }

  function reportProblem(error: unknown): void {
    run.emit({ type: 'note', agent: 'lead', text: String(error) })
  }

  return {
    recordLoss: recordLoss,
    halt() {
      isHalted = true
      oneShots.halt()
    },
    resume() {
      if (!isHalted) return
      isHalted = false
      oneShots.resume()
    },
    admit(name) {
      if (failsRepeatedly(breaker, name, clock.now())) {
        return refuse('wrong_state', { problem: 'member_keeps_failing', member: name })
      }
      const admitted = admit(breaker, name, clock.now())
      change(admitted.breaker, `${name} is tried`)
      return admitted.isAdmitted ? undefined : refuse('wrong_state', { problem: 'breaker_open' })
    },
    onEvent(name, { type }) {
      if (type === 'answered') change(worked(breaker, name), `${name} works`)
      if (PIECES.has(type)) change(alive(breaker, name, clock.now()), `${name} answers`)
    },
    get isBusy() {
      return inProgress > 0
    },
    close() {
      cancelTimer()
      stopWatching()
      closing.abort()
      oneShots.close()
    },
  }
}
