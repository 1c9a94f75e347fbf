import type { AlarmClock } from '../../ports/clock.ts'
import { createIds } from '../../ports/ids.ts'
import type { Author, TeamEvent } from '../../team/event.ts'
import type { Team } from '../team.ts'
import type { Transcript } from '../transcript.ts'

/** What a teammate lets others know. It is written at once, and durable with what follows from it: a claim, or rest. */
export interface Voice {
  /** Facts about itself. */
  report(events: readonly TeamEvent[]): void
  tellLead(type: 'result' | 'error', words: string): void
  /** What it came to: the lead hears only what no power cut can unsay. */
  sayResult(words: string, transcript: Transcript): void
  /** Its last words are on their way to the lead; undefined when they are there. */
  readonly saying: Promise<void> | undefined
  letter(type: 'result' | 'error' | 'idle_notification', words: string): TeamEvent
}

export function createVoice(
  { team, clock }: { readonly team: Team; readonly clock: AlarmClock },
  by: Author,
  trouble: (error: unknown) => void,
): Voice {
  const newId = createIds()
  let saying: Promise<void> | undefined

  const letter: Voice['letter'] = (type, content) => ({
    type: 'message.sent',
    message: { id: newId(), type, from: by.name, to: 'lead', content, timestamp: clock.now() },
  })
  const write = async (events: readonly TeamEvent[]): Promise<void> => {
    await team.report(events, { by, until: 'written' }).catch(trouble)
  }

  return {
    report: (events) => void write(events),
    tellLead: (type, words) => void write([letter(type, words)]),
    sayResult(words, transcript) {
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
    get saying() {
      return saying
    },
    letter,
  }
}
