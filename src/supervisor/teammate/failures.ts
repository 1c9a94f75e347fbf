import type { Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { TranscriptDamaged } from '../../agent/transcript/lost-transcript.ts'
import { ConversationRewound } from '../../journal/fold/rewound.ts'
import { createIds } from '../../journal/ids.ts'
import {
  noReplacementText,
  replacementFailedText,
  replacementRefusedText,
  teammateLostText,
  unfinishedReplacementText,
} from '../../prompts/reports.ts'
import type { Author } from '../../team/event.ts'
import { admit, type Breaker, failsRepeatedly, lost, PAUSE_S, settled, worked } from '../../team/members/breaker.ts'
import type { Member } from '../../team/members/member.ts'
import { isRefusal, type Refusal, refuse } from '../../team/refusal.ts'
import { heldBy, memberNamed, roster } from '../../team/state.ts'
import type { HealthTracker } from './health.ts'
import { Stalled } from './stalled.ts'
import type { TeammateFactory } from './teammate-factory.ts'

/** Handles teammates that fail: brings them back, runs a replacement for their task, or reports that neither is possible. */
export interface Failures {
  recordLoss(by: Author, cause: unknown): Promise<void>
  /** May a teammate of this name be spawned now? A refusal says what to do instead. */
  admit(name: string): Refusal | undefined
  onAnswer(name: string): void
  readonly isBusy: boolean
  /** The run ended: no teammate is brought back and no replacement starts until `resume` is called. */
  halt(): void
  resume(): void
  close(): void
}

/** The agent type of replacements. It stands in journals on disk, as does the suffix of their names, so both keep this word. */
const REPLACEMENT_TYPE = 'errand'

/** A member that does one task in place of a lost teammate. It stops with that task and is not brought back. */
export function isReplacement({ profile }: Member): boolean {
  return profile?.agentType === REPLACEMENT_TYPE
}

export function createFailures(
  context: SessionContext,
  { team, by: lead }: Membership,
  runInPlaceOf: TeammateFactory['runInPlaceOf'],
  health: HealthTracker,
  bringBack: (member: Member, held?: string) => Promise<boolean>,
): Failures {
  const { clock, run } = context
  const runtime = context.store.presence.self
  const newId = createIds()
  const closing = new AbortController()
  /** As this process knows it; every change is reported to the journal. */
  let breaker = team.state.breaker.get()
  let inProgress = 0
  let isHalted = false
  let replacements = new AbortController()
  let cancelProbe = () => {}

  function change(next: Breaker, reason: string): void {
    const before = breaker
    if (before === next) return
    breaker = next
    report([{ type: 'breaker.changed', breaker: next, reason }])
    if (before.state === next.state) return
    run.emit({ type: 'note', agent: 'lead', text: `[BREAKER] ${before.state} → ${next.state}: ${reason}` })
    cancelProbe()
    if (next.state === 'open') probeAfterPause()
  }

  function probeAfterPause(): void {
    cancelProbe()
    cancelProbe = clock.in(PAUSE_S, () => void probe().catch(reportProblem))
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
      await mailLead(by.name, teammateLostText(by.name, reason, task))
      // A damaged transcript stays damaged until a person repairs it.
      const admitted = isDamaged ? { breaker, isAdmitted: false } : admit(breaker, by.name, clock.now())
      change(admitted.breaker, `${by.name} is tried`)
      if (isHalted) return
      const isTooOften = failsRepeatedly(breaker, by.name, clock.now())
      if (admitted.isAdmitted && !isTooOften && (await bringBack(member, task?.id))) return
      if (admitted.isAdmitted && isTooOften) probeAfterPause()
      if (!task || isHalted) return
      if (member.profile?.requirePlan) await mailLead(by.name, noReplacementText(by.name, task.id))
      else await fallBack(member, task.id, reason)
    } finally {
      inProgress--
    }
  }

  /** A replacement does the task; if that fails too, the task fails, and the lead gets both reasons. */
  async function fallBack(member: Member, id: string, reason: string): Promise<void> {
    const text = `[FALLBACK] ${reason}: switching from teammate to task for ${member.name}`
    run.emit({ type: 'note', agent: member.name, text })
    const name = freeName(`${member.name.slice(0, 50)}-${REPLACEMENT_TYPE}`)
    const profile = { agentType: REPLACEMENT_TYPE, model: null, requirePlan: false }
    const spawn = { type: 'member.spawn', name, role: member.role, runtime, profile, task: id } as const
    const spawned = await team.run(spawn, { by: lead })
    const task = team.state.tasks.get(id)
    // Another member claimed it first.
    if (isRefusal(spawned) && task && task.status !== 'pending') return
    if (isRefusal(spawned) || !task)
      return mailLead(member.name, replacementRefusedText(id, isRefusal(spawned) ? spawned : undefined))
    const by = { name, generation: spawned.member!.generation, epoch: lead.epoch! }
    const stop = AbortSignal.any([closing.signal, replacements.signal])
    const { text: words, problem: cause } = await runInPlaceOf(task, member, by, stop)
    if (closing.signal.aborted || isHalted) return
    // Its words say nothing about the task: only its own call ends it.
    if (heldBy(team.state, name)?.id === id) {
      const problem = cause ?? unfinishedReplacementText(words.trim())
      run.emit({
        type: 'note',
        agent: name,
        text: `[FALLBACK] ${problem}: switching from task to no agent for ${member.name}`,
      })
      await team.run(
        {
          type: 'task.fail',
          id,
          reason: replacementFailedText(member.name, reason, problem),
        },
        { by },
      )
    }
    await team.run({ type: 'member.stop', name, reason: 'its task is over' }, { by: lead })
  }

  /** The pause is over: one lost teammate is brought back. */
  async function probe(): Promise<void> {
    if (closing.signal.aborted || isHalted) return
    const waiting = roster(team.state).find(
      (member) =>
        member.kind === 'agent' && member.status === 'lost' && member.name !== 'lead' && !isReplacement(member),
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

  /** A name that no member ever had: the transcript of each replacement is kept under its name. */
  function freeName(wanted: string): string {
    for (let i = 1; ; i++) {
      const name = i === 1 ? wanted : `${wanted}-${i}`
      if (!memberNamed(team.state, name)) return name
    }
  }

  return {
    recordLoss: recordLoss,
    halt() {
      isHalted = true
      replacements.abort()
    },
    resume() {
      if (!isHalted) return
      isHalted = false
      replacements = new AbortController()
    },
    admit(name) {
      if (failsRepeatedly(breaker, name, clock.now())) {
        return refuse('wrong_state', { problem: 'member_keeps_failing', member: name })
      }
      const admitted = admit(breaker, name, clock.now())
      change(admitted.breaker, `${name} is tried`)
      return admitted.isAdmitted ? undefined : refuse('wrong_state', { problem: 'breaker_open' })
    },
    onAnswer(name) {
      change(worked(breaker, name), `${name} works`)
    },
    get isBusy() {
      return inProgress > 0
    },
    close() {
      cancelProbe()
      closing.abort()
    },
  }
}
