import type { Recorded } from '../../src/ports/store.ts'
import { applyTurn, emptyTranscript } from '../../src/runtime/transcript-fold.ts'
import type { Place } from '../../src/stores/memory/memory-store.ts'
import { apply } from '../../src/team/apply.ts'
import { nextFor } from '../../src/team/decide-claims.ts'
import type { Author, TeamEvent } from '../../src/team/event.ts'
import { createInvariants } from '../../src/team/invariants.ts'
import { isPresent } from '../../src/team/member.ts'
import { nameKey } from '../../src/team/name.ts'
import { emptyState, heldBy, roster, type TeamState, unreadOf } from '../../src/team/state.ts'
import { brokenInvariants } from '../../src/testing/invariants.ts'

/** What a team left behind: its journal, and everybody's conversation by their name. */
export interface Remains {
  readonly journal: readonly Recorded[]
  readonly transcripts: ReadonlyMap<string, readonly Recorded[]>
}

export function remainsOf(place: Place, team: string): Remains {
  const prefix = `${team}/transcripts/`
  const logs = [...place.logs].filter(([name]) => name.startsWith(prefix))
  return {
    journal: place.logs.get(`${team}/journal`)?.accepted ?? [],
    transcripts: new Map(logs.map(([name, { accepted }]) => [name.slice(prefix.length), accepted])),
  }
}

/** What is wrong with it, record by record. */
export function examine({ journal, transcripts }: Remains): string[] {
  const state = emptyState()
  const invariants = createInvariants()
  const claims = createClaims()
  const mail = createMail()
  const faults: string[] = []
  for (const { seq, record } of journal) {
    const { by, events, effects, broken } = apply(state, seq, record)
    if (broken > 0) faults.push(`record ${seq} cannot be read`)
    faults.push(...invariants.after(state, events).map((text) => `${text} (record ${seq})`))
    faults.push(...claims.after(events, by).map((text) => `${text} (record ${seq})`))
    mail.after(effects, events)
  }
  return [...faults, ...brokenInvariants(state), ...leftUndone(state), ...mail.atEnd(state, heardIn(transcripts))]
}

/** Each task has one owner at a time, and only that one, in that life, completes it. */
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

/** Nobody rests who could do something. */
function leftUndone(state: TeamState): string[] {
  const there = roster(state).filter((one) => one.kind === 'agent' && isPresent(one) && one.status !== 'lost')
  return there.flatMap((member) => {
    const next = nameKey(member.name) === 'lead' || heldBy(state, member.name) ? undefined : nextFor(state, member)
    return next ? [`${member.name} rests although task ${next.id} is there for it`] : []
  })
}

type Heard = ReadonlyMap<string, readonly string[]>

/** Reader → ids of the messages that stand in its conversation, as often as they do. */
function heardIn(transcripts: Remains['transcripts']): Heard {
  return new Map(
    [...transcripts].map(([name, records]) => {
      const state = emptyTranscript()
      const counting = records.filter(({ record }) => applyTurn(state, record))
      return [name, counting.flatMap(({ record }) => (record.mail ?? []) as string[])]
    }),
  )
}

/** Every message that was accepted is heard once by whom it was for, or came back. */
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
    atEnd(state: TeamState, heard: Heard): string[] {
      const faults: string[] = []
      for (const [id, readers] of owed) {
        for (const to of readers) {
          const times = heard.get(to)?.filter((one) => one === id).length ?? 0
          const isUnread = unreadOf(state, to).some(({ message }) => message.id === id)
          // What its runtime answered it need not hear; what came back it may have heard, and died before saying so.
          const isEnded = answered.has(requests.get(id) ?? '') || bounced.has(`${id} ${to}`)
          if (times > 1) faults.push(`${to} heard message ${id} ${times} times`)
          if (times === 0 && !isUnread && !isEnded) faults.push(`message ${id} for ${to} is lost`)
          if (isUnread && !mayLie(state, to)) faults.push(`message ${id} lies unread before ${to}`)
        }
      }
      for (const [reader, ids] of heard)
        for (const id of ids)
          if (!id.includes('.returned.') && !owed.get(id)?.has(nameKey(reader)))
            faults.push(`${reader} heard message ${id}, which was not for it`)
      return faults
    },
  }
}

/** Whoever is lost reads when it comes back; a person reads when they like. */
function mayLie(state: TeamState, name: string): boolean {
  return name === 'user' || state.members.get(name)?.status === 'lost'
}
