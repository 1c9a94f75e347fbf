import { beginning } from '../tools/results/excerpt.ts'
import type { Notices } from './notices.ts'
import { asPart, INTERRUPTED } from './run-calls.ts'
import type { Transcript } from './transcript/transcript.ts'
import { type EndedJob, type Running, unanswered } from './transcript/transcript-fold.ts'

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
  for (const [job, about] of state.jobs) notices.add({ text: endOfJob(job, about, state.ends.get(job)), job })
  for (const call of unanswered(state)) await transcript.result(asPart(call, INTERRUPTED))
}

const INTERRUPTED_JOB = {
  state: 'stopped',
  summary: 'Interrupted: the process that ran it has died, and what was left of it has been ended.',
}

/** Somebody else saw it end, or nobody did. What it printed went with the process that ran it. */
function endOfJob(id: string, about: string, { state, summary }: Omit<EndedJob, 'id'> = INTERRUPTED_JOB): string {
  return [
    '<task-notification>',
    `<task-id>${id}</task-id>`,
    `<status>${state}</status>`,
    `<about>${beginning(about, 200)}</about>`,
    `<summary>${beginning(summary, 500)}</summary>`,
    'Its output is not at hand any more; run it again if you need it and it does no harm.',
    '</task-notification>',
  ].join('\n')
}
