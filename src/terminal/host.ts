import type { AlarmClock } from '../journal/clock.ts'
import type { NotDone, SessionControl } from '../session/control/session-control.ts'
import type { Need } from '../view/needs-person.ts'
import type { View } from '../view/view.ts'
import { type Drawn, draw, paint } from './drawing/drawn.ts'
import { wrappedLines } from './drawing/text-lines.ts'
import type { UserCommand } from './slash/user-commands.ts'
import type { OpenView } from './views/open-view.ts'

/** How the terminal was left, and what the caller opens next. */
export type TerminalExit =
  | { readonly next: 'quit' }
  | { readonly next: 'new' }
  | { readonly next: 'resume'; readonly session: string }

/** A session of this folder, for the lists of `/resume` and `-r`. */
export interface SessionChoice {
  readonly id: string
  readonly at: number
  readonly firstPrompt: string
  readonly members: readonly string[]
  readonly unread: number
  /** In another process, which is the only one that can run it. */
  readonly isRunning: boolean
}

/** A settings file to which rules can be added. */
export interface RulesFile {
  readonly path: string
  /** Returns the rules that were not in it before. Throws, with nothing changed, what is wrong with the file. */
  save(rules: readonly string[]): readonly string[]
}

/** What the terminal knows of the project, besides the lines of the session. */
export interface ProjectKnowledge {
  /** The name of the folder. */
  readonly project: string
  /** The folder of the project. */
  readonly root: string
  /** Of this program. */
  readonly version: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** US dollars; null without a limit. */
  readonly budget: number | null
  /** Of a trusted folder, and of the user. */
  readonly commands: readonly UserCommand[]
  readonly skills: readonly { readonly name: string; readonly description: string }[]
  readonly agentTypes: readonly { readonly name: string; readonly description: string }[]
  /** The settings of the user, where this terminal may write rules to them. */
  readonly savedRules?: RulesFile
  /** Other sessions of this folder, the newest first. */
  readonly sessions: () => Promise<readonly SessionChoice[]>
  /** The session belongs to another process: this terminal only shows it, and cannot change to another one. */
  readonly isAttached: boolean
  /** How to come back, such as `deskmates -r ID`; undefined while the session is not open yet. */
  resumeCommand(): string | undefined
}

/** What commands and keys act on: the screen, or the plain lines. */
export interface Host {
  readonly control: SessionControl
  readonly view: View
  readonly clock: AlarmClock
  readonly knowledge: ProjectKnowledge
  /** Tokens of the lead's last call: what its conversation takes of the model's window. */
  readonly contextTokens: number
  /** Puts lines above the prompt for good. */
  print(lines: (columns: number) => readonly Drawn[]): void
  open(view: OpenView): void
  /** Closes what was opened last. */
  closeView(): void
  leave(exit: TerminalExit): void
  needs(): readonly Need[]
  hideNeed(need: Need): void
  /** A prompt waits for the lead's next step. */
  queued(text: string): void
  /** Runs a command of the user; Esc ends it. */
  runOwnCommand(command: string): Promise<void>
}

/** Tells the person something, above the prompt. */
export function tell(host: Host, text: string): void {
  host.print((columns) =>
    wrappedLines(text, Math.max(1, columns - 2)).map((line, i) => draw`${i === 0 ? '· ' : '  '}${line}`),
  )
}

/** Says why nothing was done; true if it was done. */
export function isDone(host: Host, result: string | NotDone | undefined): boolean {
  if (typeof result !== 'object') return true
  host.print((columns) => wrappedLines(result.refused, columns).map(paint.red))
  return false
}

/** Names of everyone who can be written to, the lead first. */
export function memberNames({ view }: Pick<Host, 'view'>): string[] {
  const names = [...view.teams.values()].flatMap((state) =>
    [...state.members.values()].filter(({ status }) => status !== 'stopped').map(({ name }) => name),
  )
  return [...new Set(['lead', ...names])]
}
