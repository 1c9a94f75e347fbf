import type { TeamEvent } from '../../team/event.ts'
import { type Breaker, failureCount } from '../../team/members/breaker.ts'
import { isHandOff } from '../../team/message.ts'
import { nameKey } from '../../team/name.ts'
import { planOf } from '../../team/task.ts'

/** A hand-off with what the runtime knows about it: sent by a member, recorded for a file, or derived from the journal. */
export interface HandOffRecord {
  /** Of the record in the journal. */
  readonly id: string
  readonly type: string
  /** Two digits, where it is about one. */
  readonly phase: string | null
  readonly task: string | null
  readonly author_role: string
  /** ISO 8601. */
  readonly timestamp: string
  readonly schema_version: 1
  /** Its fields, or the text of a message that holds none. */
  readonly payload: Readonly<Record<string, unknown>> | string
  readonly confidence: number | string | null
}

/** When and by which record an event was written. */
export interface EventPlace {
  readonly id: string
  readonly at: number
  readonly by: string
}

/**
 * Reads the events of a team in order, and returns the hand-offs in each. Claims, completions, summaries, health and the
 * circuit breaker are computed here and nowhere sent, so they wake no agent. `roleNames` are those of the organisation.
 */
export function createHandOffReader(
  department: string,
  roleNames: ReadonlySet<string> = new Set(),
): (event: TeamEvent, place: EventPlace) => HandOffRecord[] {
  const files = new Map<string, readonly string[]>()
  const deviations = new Map<string, string[]>()
  const roles = new Map<string, string>()
  const roleOf = (name: string) => roles.get(nameKey(name)) ?? nameKey(name)
  /** A member, or a subagent, which is in no roster: departments record what their leads hand over. */
  const isRole = (name: string) => roles.has(nameKey(name)) || roleNames.has(name)

  return (event, place) => {
    const made = (type: string, payload: HandOffRecord['payload'], author = place.by): HandOffRecord[] => [
      recordOf(type, payload, { ...place, role: roleOf(author) }),
    ]
    switch (event.type) {
      case 'member.joined':
        roles.set(nameKey(event.name), event.role)
        return []
      case 'task.created':
        files.set(event.id, event.files)
        return []
      case 'task.updated':
        if (event.files) files.set(event.id, event.files)
        return []
      case 'deviation.noted':
        if (event.task !== null) deviations.set(event.task, [...(deviations.get(event.task) ?? []), event.text])
        return []
      case 'task.claimed':
        return made('task_claim', { ...claimOf(event.id), claimed_at: isoTime(place.at) }, event.owner)
      case 'task.completed':
        return made('task_complete', { ...endOf(event.id), commit: event.commit, status: 'complete' })
      case 'task.failed':
        return made('task_complete', {
          ...endOf(event.id),
          ...{ commit: null, status: 'failed' },
          deviations: [...(deviations.get(event.id) ?? []), event.reason],
        })
      case 'plan.ended': {
        const { tc, tt, ch, fm, dv, s } = event.summary
        const counts = { plan_id: event.plan, tasks_completed: tc, tasks_total: tt, commit_hashes: ch }
        return made('summary_aggregation', { ...counts, files_modified: fm, deviations: dv, status: s })
      }
      case 'agent.health':
        return made('agent_health_event', {
          ...{ agent_id: event.name, dept: department, state: event.state, timestamp: isoTime(place.at) },
          ...{ prev_state: event.previous, timeout_triggered: event.timeoutTriggered },
        })
      case 'breaker.changed':
        return made('circuit_breaker_state', breakerState(department, event.breaker))
      case 'handoff.recorded':
        return made(event.kind, event.content, isRole(event.from) ? event.from : place.by)
      case 'message.sent': {
        const { type, handoff, content, from } = event.message
        const named = typeof handoff === 'string' ? handoff : type
        return isHandOff(type) || named !== type ? made(named, payloadOf(content), from) : []
      }
      default:
        return []
    }
  }

  function claimOf(task: string) {
    return { task_id: task, plan_id: planOf(task) ?? null, files: files.get(task) ?? [] }
  }

  function endOf(task: string) {
    const { files: files_modified, ...claim } = claimOf(task)
    return { ...claim, files_modified, deviations: deviations.get(task) ?? [] }
  }
}

function breakerState(dept: string, breaker: Breaker) {
  const { state, openedAt, probe } = breaker
  return {
    ...{ dept, state, opened_at: openedAt === null ? null : isoTime(openedAt) },
    ...{ failure_count: failureCount(breaker), last_probe_at: probe === null ? null : isoTime(probe.since) },
  }
}

/** JSON where the content is an object, else text. */
function payloadOf(content: string): HandOffRecord['payload'] {
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : content
  } catch {
    return content
  }
}

function recordOf(
  type: string,
  content: HandOffRecord['payload'],
  { id, at, role }: Omit<EventPlace, 'by'> & { readonly role: string },
): HandOffRecord {
  const said = typeof content === 'string' ? {} : content
  const payload = isFields(said.payload) ? said.payload : content
  const fields = typeof payload === 'string' ? {} : payload
  const { confidence } = said
  return {
    ...{ id, type },
    phase: phaseOf(said.phase ?? fields.phase ?? fields.plan_id ?? fields.task),
    task: textOf(said.task ?? fields.task ?? fields.task_id),
    author_role: role,
    timestamp: isoTime(at),
    schema_version: 1,
    payload,
    confidence: typeof confidence === 'number' || typeof confidence === 'string' ? confidence : null,
  }
}

function phaseOf(value: unknown): string | null {
  return typeof value === 'string' ? (/^\d\d(?!\d)/.exec(value)?.[0] ?? null) : null
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The largest time that a date can have, in seconds. */
const MAX_DATE_S = 8.64e12

function isoTime(seconds: number): string {
  return new Date(Math.min(Math.max(seconds, -MAX_DATE_S), MAX_DATE_S) * 1000).toISOString()
}
