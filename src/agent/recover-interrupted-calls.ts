import { INTERRUPTED_JOB, jobWithoutOutputText } from '../prompts/notices.ts'
import type { Notices } from './notices.ts'
import { asPart, INTERRUPTED } from './run-calls.ts'
import type { Transcript } from './transcript/transcript.ts'
import { type Running, unanswered } from './transcript/transcript-fold.ts'

/**
 * Goes on with a conversation whose process has died: what still runs of it is ended, each call that nobody knows the
 * end of is reported as interrupted, and so is each job. Nothing is run again, and dying on the way changes nothing.
 */
export async function recoverInterruptedCalls(
  { transcript, notices }: { transcript: Transcript; notices: Notices },
  end: (running: Running) => Promise<unknown>,
): Promise<void> {
  const { state } = transcript
  for (const running of [...state.running.values()]) await end(running)
  for (const [job, about] of state.jobs) {
    const end = state.ends.get(job) ?? INTERRUPTED_JOB
    notices.add({ text: jobWithoutOutputText({ ...end, id: job, about }), job })
  }
  for (const call of unanswered(state)) await transcript.result(asPart(call, INTERRUPTED))
}
