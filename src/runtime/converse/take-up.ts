import type { Transcript } from '../transcript.ts'
import { type Running, unanswered } from '../transcript-fold.ts'
import type { Notices } from './conversation.ts'
import { asPart, INTERRUPTED } from './run-calls.ts'

/**
 * Goes on with a conversation whose process has died: what still runs of it is ended, each call that nobody knows the
 * end of is reported as interrupted, and so is each job. Nothing is run again, and dying on the way changes nothing.
 */
export async function takeUp(
  { transcript, notices }: { transcript: Transcript; notices: Notices },
  end: (running: Running) => Promise<unknown>,
): Promise<void> {
  const { state } = transcript
  for (const running of [...state.running.values()]) await end(running)
  for (const [job, about] of state.jobs) notices.add({ text: interruptedJob(job, about), job })
  if (__BUG__ === 'rerun-interrupted') return
  for (const call of unanswered(state)) await transcript.result(asPart(call, INTERRUPTED))
}

function interruptedJob(id: string, about: string): string {
  return [
    '<task-notification>',
    `<task-id>${id}</task-id>`,
    '<status>stopped</status>',
    `<about>${about}</about>`,
    '<summary>Interrupted: the process that ran it has died, and what was left of it has been ended.</summary>',
    '</task-notification>',
  ].join('\n')
}
