import type { Transcript } from '../transcript.ts'
import { type Running, unanswered } from '../transcript-fold.ts'
import type { Notices } from './conversation.ts'
import { asPart, INTERRUPTED } from './run-calls.ts'

/**
 * Goes on with a conversation whose process has died: what still runs of it is ended, and each call that nobody knows
 * the end of is reported as interrupted. Nothing is run again.
 */
export async function takeUp(
  { transcript, notices }: { transcript: Transcript; notices: Notices },
  end: (running: Running) => Promise<void>,
): Promise<void> {
  const { state } = transcript
  for (const running of [...state.running.values()]) {
    await end(running)
    await transcript.ended(running.pid)
    // The call it belongs to says so itself, if it had no result yet; a job in the background had one.
    if (!state.open.has(running.of))
      notices.add(`<notice>${running.of} was interrupted: its process has ended.</notice>`)
  }
  if (__BUG__ === 'rerun-interrupted') return
  for (const call of unanswered(state)) await transcript.result(asPart(call, INTERRUPTED))
}
