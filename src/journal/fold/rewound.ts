import { TeamError } from '../../team/errors.ts'
import type { Fault } from '../log/store.ts'
import { rewoundBy } from '../log/store-errors.ts'
import type { Acknowledgement, LostRecords } from './recent-records.ts'

/** The journal lost its end, and this process has folded what is there now. */
export interface JournalLoss {
  readonly team: string
  /** Where it showed. */
  readonly fault: Fault
  /** What this process had acknowledged and is gone: it is not in the log any more, unless it is repeated. */
  readonly lost: readonly Acknowledgement[]
  /** How many of the records it had folded are gone, other people's included. */
  readonly records: number
  /** All of it, for people. */
  readonly message: string
}

/** So many are named in a sentence; all of them are in `lost`. */
const MAX_NAMED = 50

export function describeLoss(team: string, fault: Fault, { acknowledgements, records }: LostRecords): JournalLoss {
  const named = acknowledgements.slice(0, MAX_NAMED).map(({ id, what }) => `${id} (${what})`)
  if (acknowledgements.length > MAX_NAMED) named.push(`and ${acknowledgements.length - MAX_NAMED} more`)
  const own =
    acknowledgements.length === 0
      ? 'Nothing that was acknowledged here is among them'
      : `Acknowledged here and gone: ${named.join(', ')}. Do it again if it still matters`
  const message =
    `The journal of ${team} lost its end, because a server took over that did not have it (${fault.detail}). ` +
    `It was folded again and goes on; ${records} ${records === 1 ? 'record' : 'records'} read before ` +
    `${records === 1 ? 'is' : 'are'} gone. ${own}.`
  return { team, fault, lost: acknowledgements, records, message }
}

/** A conversation does not continue in the middle: its model has read what is not in the log any more. */
export class ConversationRewound extends TeamError {
  readonly code = 'conversation_rewound'
  constructor({ path, detail }: Fault, cause: unknown) {
    super(
      `The conversation ${path} lost its end, because a server took over that did not have it (${detail}). ` +
        'All before that is there. A teammate is brought back by its session; ' +
        'to go on with a lead, open the session again: deskmates resume TEAM',
      { cause },
    )
  }
}

/** What a transcript throws: that its log was rewound in these words, all else as it is. */
export function asRewound(error: unknown): never {
  const fault = rewoundBy(error)
  throw fault ? new ConversationRewound(fault, error) : error
}

/** What made this process the one that runs a member is gone, and another process runs it by now. */
export class LeadershipLost extends TeamError {
  readonly code = 'place_lost'
  constructor(name: string) {
    super(
      `${name} may not act any more: that it runs here was lost with the end of the journal. ` +
        'To go on, open the session again: deskmates resume TEAM',
    )
  }
}
