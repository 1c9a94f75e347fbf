import type { Waking } from '../../agent/input/inbox.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import type { TeamEvent } from '../../team/event.ts'
import { nameKey } from '../../team/name.ts'
import { hasUnheardResults, wakesLead } from '../../team/progress/lead-wakes.ts'
import { createStrandedTasks, type WatchedTeam } from './stranded-tasks.ts'

/** Decides when the lead takes a turn for results that wait, and for tasks that no member can take. */
export interface LeadWake extends Waking {
  /** These events of a team were folded. */
  onEvents(team: string, events: readonly TeamEvent[]): void
  /** Something changed while the lead is idle. */
  check(): void
  /** Nothing else will happen: the lead hears the results that wait. False if there are none. */
  hearResults(): boolean
  close(): void
}

export interface LeadWakeOptions {
  readonly context: Pick<SessionContext, 'clock' | 'supervisor' | 'scaling'>
  /** Every team it leads, its own first. */
  readonly teams: readonly WatchedTeam[]
  /** The transcript of the lead has this message. */
  isDelivered(id: string): boolean
  hasRunningJob(): boolean
  /** Adds a text to its next turn. */
  notify(text: string): void
  /** A teammate has been idle for long enough. */
  onIdle(): void
}

export function createLeadWake(options: LeadWakeOptions): LeadWake {
  const { teams } = options
  const { clock, supervisor, scaling } = options.context
  const isLedByCode = scaling.length > 0
  /** By `team/member`: since when an idle teammate has been idle, the earliest first. */
  const idleSince = new Map<string, number>()
  const stranded = createStrandedTasks(options)
  let unheardSince: number | undefined
  let isDue = false
  let timer: { readonly at: number; cancel(): void } | undefined

  const isUnheard = () => teams.some(({ team }) => hasUnheardResults(team.state, options.isDelivered))

  return {
    causesTurn: (state, unread) => wakesLead(state, unread, supervisor.resultDelivery),
    get isDue() {
      return isDue
    },
    onReceived() {
      isDue = false
      unheardSince = undefined
      stopTimer()
    },
    onEvents(team, events) {
      for (const event of events) {
        if (isMemberEvent(event)) noteActivity(`${team}/${nameKey(event.name)}`, event)
        stranded.onEvent(team, event)
      }
    },
    check() {
      // Code starts the agents and reads the results: the lead is asked only about what is addressed to it.
      if (isLedByCode) return
      stranded.check()
      if (!isUnheard()) {
        unheardSince = undefined
        return stopTimer()
      }
      unheardSince ??= clock.now()
      const { order } = teams[0]!.team
      const expected = order?.expects?.('lead decides')
      // A replay takes the turn where the recorded run took it, whatever the time is.
      if (expected !== undefined) isDue ||= expected && !options.hasRunningJob()
      else checkIdleTime(unheardSince)
    },
    hearResults() {
      isDue ||= !isLedByCode && isUnheard()
      return isDue
    },
    close: stopTimer,
  }

  function noteActivity(key: string, event: MemberEvent): void {
    const isIdle = event.type === 'member.activity' && event.status === 'idle'
    if (isIdle && idleSince.has(key)) return
    idleSince.delete(key)
    if (isIdle) idleSince.set(key, clock.now())
  }

  /** A teammate that is idle while results are unheard may have nothing to do because the lead does not know them. */
  function checkIdleTime(unheard: number): void {
    const [earliest] = idleSince.values()
    if (earliest === undefined) return stopTimer()
    const at = Math.max(unheard, earliest) + supervisor.leadWakesAfterIdle
    if (at <= clock.now()) {
      isDue = true
      return stopTimer()
    }
    if (timer?.at === at) return
    stopTimer()
    timer = { at, cancel: clock.in(at - clock.now(), options.onIdle) }
  }

  function stopTimer(): void {
    timer?.cancel()
    timer = undefined
  }
}

type MemberEvent = Extract<TeamEvent, { type: `member.${string}` }>

function isMemberEvent(event: TeamEvent): event is MemberEvent {
  return event.type.startsWith('member.')
}
