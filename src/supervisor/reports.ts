import type { Transcript } from '../agent/transcript/transcript.ts'
import type { AlarmClock } from '../journal/clock.ts'
import { createIds } from '../journal/ids.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import type { Author, TeamEvent } from '../team/event.ts'

/** What a teammate lets others know. It is written at once, and durable with what follows from it: a claim, or rest. */
export interface Reports {
  /** Facts about itself. */
  report(events: readonly TeamEvent[]): void
  sendToLead(type: 'result' | 'error', words: string): void
  /** What it came to: the lead hears only what no power cut can unsay. */
  sendResult(words: string, transcript: Transcript): void
  /** Its last words are on their way to the lead; undefined when they are there. */
  readonly pending: Promise<void> | undefined
  message(type: 'result' | 'error' | 'idle_notification', words: string): TeamEvent
}

export function createReports(
  { team, clock }: { readonly team: TeamHandle; readonly clock: AlarmClock },
  by: Author,
  trouble: (error: unknown) => void,
): Reports {
  const newId = createIds()
  let saying: Promise<void> | undefined

  const letter: Reports['message'] = (type, content) => ({
    type: 'message.sent',
    message: { id: newId(), type, from: by.name, to: 'lead', content, timestamp: clock.now() },
  })
  const write = async (events: readonly TeamEvent[]): Promise<void> => {
    await team.report(events, { by, until: 'written' }).catch(trouble)
  }

  return {
    report: (events) => void write(events),
    sendToLead: (type, words) => void write([letter(type, words)]),
    sendResult(words, transcript) {
      const said = Promise.all([saying, transcript.synced()]).then(async () => {
        const written = write([letter('result', words)])
        // A step of its own: what this teammate decides meanwhile must not depend on when its turn comes.
        if (team.order) await written
        if (saying === said) saying = undefined
      })
      // Whoever waits for it is told.
      said.catch(() => {})
      saying = said
    },
    get pending() {
      return saying
    },
    message: letter,
  }
}
