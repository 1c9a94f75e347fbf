import { recordBatches } from '../../journal/log/record-batches.ts'
import type { Log, Store } from '../../journal/log/store.ts'
import { type TeamHandle, USER } from '../../journal/team-handle.ts'
import { deliveredMail } from '../../journal/transcripts/delivered-mail.ts'
import { lostTurnsTexts } from '../../prompts/lost-turns.ts'
import { TeamError } from '../../team/errors.ts'
import { isRefusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'

/** A transcript whose turns are lost. */
export interface LostTurns {
  readonly member: string
  /** Ids of the records that are left of it. */
  readonly left: ReadonlySet<string>
  /** What happened, as a sentence without a subject: `was damaged at line 7 …`. */
  readonly what: string
  /** Tool calls in the lost turns, in words. */
  readonly calls: readonly string[]
  /** The file that keeps the removed lines. */
  readonly archived: string | null
}

/**
 * Records that turns of a transcript are lost: mail delivered in them is unread again, agent and lead are told what
 * happened. `further` are the other teams whose mail enters the same conversation. Returns how many messages.
 */
export async function recordLostTurns(
  store: Store,
  team: TeamHandle,
  lost: LostTurns,
  further: readonly TeamHandle[] = [],
) {
  let count = 0
  for (const one of [team, ...further]) {
    const log = await store.log(`${one.name}/journal`)
    const returned = await returnedFrom(log, lost).finally(() => log.close())
    count += returned.length
    if (one !== team && returned.length === 0) continue
    const [first = [], ...rest] = recordBatches(returned)
    const words = [...lost.calls, ...(lost.archived === null ? [] : [`removed lines are in ${lost.archived}`])]
    const about = { type: 'transcript.repair', member: lost.member, archived: lost.archived } as const
    const texts = one === team ? { texts: lostTurnsTexts({ ...lost, returned: returned.length }) } : {}
    for (const [i, some] of [first, ...rest].entries()) {
      const answer = await one.run(
        { ...about, lost: i === 0 ? words : [], returned: some, ...(i === 0 && texts) },
        { by: USER },
      )
      if (isRefusal(answer)) throw new RepairRefused(refusalText(answer))
    }
  }
  return count
}

class RepairRefused extends TeamError {
  readonly code = 'repair_refused'
}

async function returnedFrom(log: Log, { member, left }: LostTurns) {
  const read = await deliveredMail(log, member, (_, turn) => turn !== undefined && !left.has(turn))
  return [...read.values()].map(({ unread: { message, external } }) => ({ message, external }))
}
