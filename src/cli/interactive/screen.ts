import { basename } from 'node:path'
import { realpathSync } from 'node:fs'
import { ProcessTerminal } from '@earendil-works/pi-tui'
import type { SessionControl } from '../../session/control/session-control.ts'
import type { TerminalExit } from '../../terminal/host.ts'
import { runTerminal } from '../../terminal/run-terminal.ts'
import type { Workspace } from '../../workspace.ts'
import { hasColours } from '../output/colours.ts'
import type { Call } from '../program/context.ts'
import { readSessions } from '../sessions/read-sessions.ts'

export interface ScreenOptions {
  readonly workspace: Workspace
  readonly cwd: string
  /** US dollars; null without a limit. */
  readonly budget: number | null
  readonly commandFolders: readonly string[]
  readonly firstPrompt?: string | undefined
  /** Lines instead of a screen that is drawn again. */
  readonly isPlain: boolean
}
