import { applyTurn, emptyTranscript } from '../../src/agent/transcript/transcript-fold.ts'
import type { Recorded } from '../../src/journal/log/store.ts'
import type { Place } from '../../src/stores/memory/store.ts'
import { apply } from '../../src/team/apply.ts'
import type { Author, TeamEvent } from '../../src/team/event.ts'
import { createInvariants } from '../../src/team/fold/invariants.ts'
import { isPresent } from '../../src/team/members/member.ts'
import { nameKey } from '../../src/team/name.ts'
import { emptyState, heldBy, roster, type TeamState, unreadOf } from '../../src/team/state.ts'
import { brokenInvariants } from '../../src/testing/invariants.ts'

/** The records of a team: its journal, and the transcript of each agent by name. */
export interface TeamRecords {
  readonly journal: readonly Recorded[]
  readonly transcripts: ReadonlyMap<string, readonly Recorded[]>
}

export function recordsOf(place: Place, team: string): TeamRecords {
  const prefix = `${team}/transcripts/`
  const logs = [...place.logs].filter(([name]) => name.startsWith(prefix))
  return {
    journal: place.logs.get(`${team}/journal`)?.accepted ?? [],
    transcripts: new Map(logs.map(([name, { accepted }]) => [name.slice(prefix.length), accepted])),
  }
}

/** Every broken promise in the records, as a sentence. */
export function checkRecords({ journal, transcripts }: TeamRecords): string[] {
  const state = emptyState()
  const invariants = createInvariants()
  const claims = createClaims()
  const order = createOrder()
  const mail = createMail()
  const faults: string[] = []
  for (const { seq, record } of journal) {
    const { by, events, effects, broken } = apply(state, seq, record)
    if (broken > 0) faults.push(`record ${seq} cannot be read`)
    faults.push(...invariants.after(state, events).map((text) => `${text} (record ${seq})`))
    faults.push(...claims.after(events, by).map((text) => `${text} (record ${seq})`))
    faults.push(...order.after(events).map((text) => `${text} (record ${seq})`))
    mail.after(effects, events)
  }
  return [
    ...faults,
    ...brokenInvariants(state),
    ...unclaimedTasks(state, order.ready()),
    ...mail.atEnd(state, receivedIn(transcripts)),
  ]
}

/** Each task has one owner at a time, and only that owner, in that generation, completes it. */
function createClaims() {
  const live = new Map<string, Pick<Author, 'name' | 'generation'>>()
  return {
    after(events: readonly TeamEvent[], by: Author): string[] {
      return events.flatMap((event) => {
        if (event.type === 'task.claimed') {
          const before = live.get(event.id)
          live.set(event.id, { name: event.owner, generation: event.generation })
          return before ? [`task ${event.id} is claimed by ${event.owner} while ${before.name} holds it`] : []
        }
        if (!['task.completed', 'task.failed', 'task.released', 'task.deleted'].includes(event.type)) return []
        const { id } = event as { id: string }
        const owner = live.get(id)
        live.delete(id)
        if (event.type !== 'task.completed') return []
        if (owner?.name === by.name && owner.generation === by.generation) return []
        return [`task ${id} is completed by ${by.name}/${by.generation}, held by ${owner?.name}/${owner?.generation}`]
      })
    },
  }
}

interface Job {
  status: 'pending' | 'in_progress' | 'completed' | 'failed'
  blockedBy: readonly string[]
  files: readonly string[]
}

/**
 * A task is claimed only after its dependencies completed, and no two tasks in progress share a file. Computed from the
 * events alone, because the board itself may be wrong.
 */
function createOrder() {
  const board = new Map<string, Job>()
  const open = ({ blockedBy }: Job) => blockedBy.filter((id) => board.get(id)?.status !== 'completed')
  const apart = (id: string, { files }: Job): string[] => {
    const others = [...board].filter(([other, { status }]) => other !== id && status === 'in_progress')
    const met = others.filter(([, other]) => files.some((a) => other.files.some((b) => isSameOrBelow(a, b))))
    return met.map(([other]) => `tasks ${id} and ${other} are worked on at once and share a file`)
  }
  const after = (event: TeamEvent): string[] => {
    if (event.type === 'task.created') {
      board.set(event.id, { status: 'pending', blockedBy: event.blockedBy, files: event.files })
      return []
    }
    const job = 'id' in event ? board.get(event.id) : undefined
    if (!job) return []
    switch (event.type) {
      case 'task.updated':
        job.blockedBy = event.blockedBy ?? job.blockedBy
        job.files = event.files ?? job.files
        return job.status === 'in_progress' ? apart(event.id, job) : []
      case 'task.claimed': {
        job.status = 'in_progress'
        const early = open(job).map((id) => `task ${event.id} is claimed before task ${id} is completed`)
        return [...early, ...apart(event.id, job)]
      }
      case 'task.completed':
        job.status = 'completed'
        return []
      case 'task.failed':
        job.status = 'failed'
        return []
      case 'task.released':
      case 'task.reopened':
        job.status = 'pending'
        return []
      case 'task.deleted':
        board.delete(event.id)
        for (const other of board.values()) other.blockedBy = other.blockedBy.filter((id) => id !== event.id)
        return []
      default:
        return []
    }
  }
  return {
    after: (events: readonly TeamEvent[]) => events.flatMap(after),
    /** Tasks that could be claimed. */
    ready: () =>
      [...board].flatMap(([id, job]) =>
        job.status === 'pending' && open(job).length === 0 && apart(id, job).length === 0 ? [id] : [],
      ),
  }
}

/** Compares paths without wildcards: a folder covers the files below it. */
function isSameOrBelow(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => `${path.replace(/\/$/, '')}/`) as [string, string]
  return one.startsWith(other) || other.startsWith(one)
}

/** No agent is idle while a task is ready for it. */
function unclaimedTasks(state: TeamState, ready: readonly string[]): string[] {
  const there = roster(state).filter((one) => one.kind === 'agent' && isPresent(one) && one.status !== 'lost')
  const free = there.filter(({ name }) => nameKey(name) !== 'lead' && !heldBy(state, name))
  return free.flatMap(({ name, role }) => {
    const next = ready.find((id) => {
      const task = state.tasks.get(id)
      return [name, null].includes(task?.assignee ?? null) && [role, null].includes(task?.role ?? null)
    })
    return next ? [`${name} is idle although task ${next} is ready for it`] : []
  })
}

type Received = ReadonlyMap<string, readonly string[]>

/** Reader → ids of the messages in its transcript, repeated as often as they stand there. */
function receivedIn(transcripts: TeamRecords['transcripts']): Received {
  return new Map(
    [...transcripts].map(([name, records]) => {
      const state = emptyTranscript()
      const counting = records.filter(({ record }) => applyTurn(state, record))
      return [name, counting.flatMap(({ record }) => (record.mail ?? []) as string[])]
    }),
  )
}

/** Every accepted message is received once by its recipient, or bounces. */
function createMail() {
  const owed = new Map<string, Set<string>>()
  const bounced = new Set<string>()
  const answered = new Set<string>()
  const requests = new Map<string, string>()
  return {
    after(effects: readonly { id: string; to: string; outcome: string }[], events: readonly TeamEvent[]): void {
      for (const { id, to, outcome } of effects) {
        if (outcome === 'queued') owed.set(id, (owed.get(id) ?? new Set()).add(nameKey(to)))
        if (outcome === 'bounced') bounced.add(`${id} ${nameKey(to)}`)
      }
      for (const event of events) {
        if (event.type === 'message.sent' && typeof event.message.request_id === 'string')
          requests.set(event.message.id, event.message.request_id)
        if (event.type === 'request.answered') answered.add(event.id)
      }
    },
    atEnd(state: TeamState, received: Received): string[] {
      const faults: string[] = []
      for (const [id, readers] of owed) {
        for (const to of readers) {
          const times = received.get(to)?.filter((one) => one === id).length ?? 0
          const unread = unreadOf(state, to).find(({ message }) => message.id === id)
          const isUnread = unread !== undefined
          // A request that the runtime answered needs no delivery. A message that bounced may have been received by an
          // agent that died before it acknowledged it.
          const isEnded = answered.has(requests.get(id) ?? '') || bounced.has(`${id} ${to}`)
          if (times > 1) faults.push(`${to} received message ${id} ${times} times`)
          if (times === 0 && !isUnread && !isEnded) faults.push(`message ${id} for ${to} is lost`)
          const isIdleNotice = unread?.message.type === 'idle_notification'
          if (isUnread && !isIdleNotice && !mayStayUnread(state, to)) faults.push(`message ${id} stays unread by ${to}`)
        }
      }
      for (const [reader, ids] of received)
        for (const id of ids)
          if (!id.includes('.returned.') && !owed.get(id)?.has(nameKey(reader)))
            faults.push(`${reader} received message ${id}, which was sent to another member`)
      return faults
    },
  }
}

/** A lost agent reads when it is resumed, the user at any time. */
function mayStayUnread(state: TeamState, name: string): boolean {
  return name === 'user' || state.members.get(name)?.status === 'lost'
}
