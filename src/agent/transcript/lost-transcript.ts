import type { Fault } from '../../journal/log/store.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { TeamError } from '../../team/errors.ts'
import type { SessionContext } from '../session-context.ts'
import { recordLostTurns } from './repair-transcript.ts'
import type { TranscriptLost } from './transcript.ts'

/** The lead does not silently start a new conversation: the user may have a copy of the file. */
export class LeadTranscriptLost extends TeamError {
  readonly code = 'transcript_lost'
  constructor(team: string, { left }: TranscriptLost) {
    super(
      `The transcript of the lead, .teams/${team}/transcripts/lead.jsonl, ${whatHappened(left)}, although the journal knows of turns in it. ` +
        `Put it back from a copy and resume again; or continue without it: deskmates check --repair --team ${team}`,
    )
  }
}

/** A line of the transcript is not what was written: the conversation cannot continue before it is repaired. */
export class TranscriptDamaged extends TeamError {
  readonly code = 'transcript_damaged'
  constructor(team: string, { path, line, offset, detail }: Fault, cause: unknown) {
    super(
      `The transcript ${path} is damaged at line ${line} (byte ${offset}): ${detail}. Repair it: deskmates check --repair --team ${team}`,
      { cause },
    )
  }
}

/** A teammate is brought back without the lost turns: its mail is unread again, and agent, lead and user learn of it. */
export async function recordLostTranscript(
  { store, run }: Pick<SessionContext, 'store' | 'run'>,
  team: TeamHandle,
  name: string,
  lost: TranscriptLost,
): Promise<void> {
  const what = `${whatHappened(lost.left)} (.teams/${team.name}/transcripts/${name}.jsonl).`
  await recordLostTurns(store, team, { member: name, left: lost.left, what, calls: [], archived: null })
  const text = `The transcript of ${name} in ${team.name} ${what} It came back without that part of its conversation; its mail is unread again. Check what it had done.`
  run.emit({ type: 'problem', agent: name, text })
}

function whatHappened(left: ReadonlySet<string>): string {
  return left.size === 0 ? 'is missing or empty' : 'lost its end'
}
