import type { TeamHandle } from '../../journal/team-handle.ts'
import { TeamError } from '../../team/errors.ts'
import type { SessionContext } from '../session-context.ts'
import { recordLostTurns } from './repair-transcript.ts'
import type { TranscriptLost } from './transcript.ts'

/** The lead's conversation is not begun anew without a word: a person may have a copy of the file. */
export class LeadTranscriptLost extends TeamError {
  readonly code = 'transcript_lost'
  constructor(team: string, { left }: TranscriptLost) {
    super(
      `The transcript of the lead, .teams/${team}/transcripts/lead.jsonl, ${whatHappened(left)}, although the journal knows of turns in it. ` +
        `Put it back from a copy and resume again; or go on without it: deskmates check --repair --team ${team}`,
    )
  }
}

/** A teammate comes back all the same, and is told so: its mail is unread again, lead and user hear of it. */
export async function recordLostTranscript(
  home: SessionContext,
  team: TeamHandle,
  name: string,
  lost: TranscriptLost,
): Promise<void> {
  const what = `${whatHappened(lost.left)} (.teams/${team.name}/transcripts/${name}.jsonl).`
  await recordLostTurns(home.store, team, { member: name, left: lost.left, what, calls: [], archived: null })
  const text = `The transcript of ${name} in ${team.name} ${what} It came back without that part of its conversation; its mail is unread again. Check what it had done.`
  home.run.emit({ type: 'problem', agent: name, text })
}

function whatHappened(left: ReadonlySet<string>): string {
  return left.size === 0 ? 'is missing or empty' : 'lost its end'
}
