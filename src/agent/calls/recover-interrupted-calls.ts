import type { TeamHandle } from '../../journal/team-handle.ts'
import { INTERRUPTED_JOB, jobWithoutOutputText, recordedEndText } from '../../prompts/notices.ts'
import type { Notices } from '../input/notices.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { commandIdOf, type Running, unanswered } from '../transcript/transcript-fold.ts'
import { asPart, INTERRUPTED } from './run-calls.ts'

/**
 * Continues a conversation whose process died: its process groups are ended. A call that ended a task is answered from the
 * journal; every other call and job of unknown outcome is reported as interrupted. Nothing is run again; if this process dies
 * on the way, the next one does the same.
 */
export async function recoverInterruptedCalls(
  { transcript, notices, team }: { transcript: Transcript; notices: Notices; team?: Pick<TeamHandle, 'eventsOf'> },
  end: (running: Running) => Promise<unknown>,
): Promise<void> {
  const { state } = transcript
  for (const running of [...state.running.values()]) await end(running)
  for (const [job, about] of state.jobs) {
    const end = state.ends.get(job) ?? INTERRUPTED_JOB
    notices.add({ text: jobWithoutOutputText({ ...end, id: job, about }), job })
  }
  for (const call of unanswered(state)) {
    const recorded = recordedEndText((await team?.eventsOf(commandIdOf(state, call))) ?? [])
    await transcript.result(asPart(call, recorded === undefined ? INTERRUPTED : { text: recorded }))
  }
}
