import { ProcessTerminal, type Terminal } from '@earendil-works/pi-tui'
import { replayedView } from '../../view/replayed-view.ts'
import { ReplayScreen, type ReplayScreenOptions } from './replay-screen.ts'

export interface RunReplayOptions extends Omit<ReplayScreenOptions, 'replay' | 'terminal'> {
  /** Aborts when the process has to end. */
  readonly signal: AbortSignal
  /** By default that of the process. */
  readonly terminal?: Terminal
}

/** Plays a session on the terminal until the person leaves. */
export async function runReplay({ signal, terminal, ...options }: RunReplayOptions): Promise<void> {
  const replay = replayedView(options.lines)
  const screen = new ReplayScreen({ ...options, replay, terminal: terminal ?? new ProcessTerminal() })
  const leave = () => screen.leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    await screen.run()
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
