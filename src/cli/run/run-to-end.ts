import type { SessionEvent } from '../../agent/session-event.ts'
import type { Session } from '../../session/session.ts'
import type { SessionOptions } from '../../session/session-options.ts'
import type { ResumeCommand } from '../../session/wire/run-summary.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Workspace } from '../../workspace.ts'

/** What a command runs. */
export interface RunToEnd {
  readonly needsPrompt: boolean
  readonly prompt?: string | undefined
  /** The session, where the options do not choose it. */
  readonly team?: string
  /** What the settings alone do not decide about the session. */
  session?(settings: Settings, workspace: Workspace): Promise<Pick<SessionOptions, 'scaling' | 'title' | 'autoCommit'>>
  /** The command that resumes this run; without it `deskmates -r …`. */
  readonly resumeCommand?: ResumeCommand
  /** Called before the run begins. */
  begin?(session: Session): Promise<void>
  /** Told of each event, besides what is printed in any case. */
  onEvent?(event: SessionEvent): Promise<void>
  /** More members of the result, and the text that is printed in place of the answer. */
  report?(session: Session): { readonly members: object; readonly text: string }
}
