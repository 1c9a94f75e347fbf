import type { Transcript } from '../../agent/transcript/transcript.ts'
import type { AlarmClock } from '../../journal/clock.ts'
import { createIds } from '../../journal/ids.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import type { Author, TeamEvent } from '../../team/event.ts'
import type { TaskId } from '../../team/task.ts'

/** Reports of a teammate. Each is written at once, and durable with the next decision of the teammate: a claim, or idleness. */
export interface Reports {
  /** Facts about the teammate itself. */
  report(events: readonly TeamEvent[]): void
  sendToLead(type: 'result' | 'error', words: string): void
  /**
   * Its result, of the task it held in that turn, if any; sent once its transcript is durable, so that no power cut takes
   * back what the lead has read.
   */
  sendResult(words: string, transcript: Transcript, task?: TaskId): void
  /** Resolves when its last result was sent to the lead; undefined when it was. */
  readonly pending: Promise<void> | undefined
  message(type: 'result' | 'error' | 'idle_notification', words: string, task?: TaskId): TeamEvent
}

export function createReports(
  { team, clock }: { readonly team: TeamHandle; readonly clock: AlarmClock },
  by: Author,
  onFailure: (error: unknown) => void,
): Reports {
  const newId = createIds()
  let pendingResult: Promise<void> | undefined

  const message: Reports['message'] = (type, content, task) => ({
    type: 'message.sent',
    message: {
      id: newId(),
      type,
      from: by.name,
      to: 'lead',
      content,
      timestamp: clock.now(),
      ...(task !== undefined && { task }),
    },
  })
  const write = async (events: readonly TeamEvent[]): Promise<void> => {
    await team.report(events, { by, until: 'written' }).catch(onFailure)
  }

  return {
    report: (events) => void write(events),
    sendToLead: (type, words) => void write([message(type, words)]),
    sendResult(words, transcript, task) {
      const sent = Promise.all([pendingResult, transcript.synced()]).then(async () => {
        const written = write([message('result', words, task)])
        // In a recorded run a step of its own: the next decision of the teammate must not depend on its timing.
        if (team.order) await written
        if (pendingResult === sent) pendingResult = undefined
      })
      // The caller that awaits `pending` gets the error.
      sent.catch(() => {})
      pendingResult = sent
    },
    get pending() {
      return pendingResult
    },
    message: message,
  }
}
