import type { Terminal } from '@earendil-works/pi-tui'
import { type AlarmClock, systemClock } from '../journal/clock.ts'
import type { SessionControl } from '../session/control/session-control.ts'
import { App } from './app.ts'
import type { NoticeMode } from './drawing/notices.ts'
import type { ProjectKnowledge, TerminalExit } from './host.ts'
import { PaintedPrompt } from './painted-prompt.ts'
import { runPlain } from './plain/plain-session.ts'
import { isPlain, type PlainStreams, plainStreams } from './plain/plain-streams.ts'
import { readUserCommands } from './slash/user-commands.ts'
import type { StatusSource } from './status-line/status-line.ts'

export interface TerminalOptions {
  readonly control: SessionControl
  readonly knowledge: Omit<ProjectKnowledge, 'commands'>
  /** Whose commands count: the user's home, and the project where it is trusted. */
  readonly commandFolders: readonly string[]
  /** Drawn on a screen, and left out where nothing is drawn again. */
  readonly statusLine?: StatusSource
  /** What happens when a person is needed, or all is done; by default bell and desktop notice. */
  readonly notices?: NoticeMode
  /** Called once, when the prompt can be seen. */
  readonly onPainted?: () => void
  /** The user asked for lines that are never redrawn. */
  readonly isScreenReader?: boolean
  readonly firstPrompt?: string
  /** Aborts when the process has to end: the terminal is left as with a quit. */
  readonly signal?: AbortSignal
  readonly clock?: AlarmClock
  /** By default that of the process. */
  readonly terminal?: Terminal
  /** The prompt of this session, where it was painted before all of this was loaded. */
  readonly prompt?: PaintedPrompt | undefined
  /** Of the plain lines; by default those of the process. */
  readonly streams?: PlainStreams
}

/** Opens the terminal of a session, until the person leaves it. */
export function runTerminal(options: TerminalOptions): Promise<TerminalExit> {
  const { control, commandFolders, firstPrompt, signal, clock = systemClock } = options
  const knowledge: ProjectKnowledge = { ...options.knowledge, commands: commandFolders.flatMap(readUserCommands) }
  if (isPlain(knowledge.env, options.isScreenReader)) {
    const streams = options.streams ?? plainStreams()
    options.onPainted?.()
    return runPlain({ control, clock, knowledge, ...streams, ...(signal && { signal }) }, firstPrompt)
  }
  const { terminal } = options
  const prompt = options.prompt?.isWaiting
    ? options.prompt
    : new PaintedPrompt({ ...knowledge, clock, ...(terminal && { terminal }) })
  const app = new App({
    ...{
      control,
      clock,
      prompt,
      knowledge,
      notices: options.notices ?? 'desktop',
    },
    ...(options.statusLine && { statusLine: options.statusLine }),
    ...(options.onPainted && { onPainted: options.onPainted }),
  })
  const leave = () => app.leave({ next: 'quit' })
  // The signal may have come while all of this was loaded.
  if (signal?.aborted) leave()
  signal?.addEventListener('abort', leave, { once: true })
  return app.run(firstPrompt)
}
