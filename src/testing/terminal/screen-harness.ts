import type { NoticeMode } from '../../terminal/drawing/notices.ts'
import type { ProjectKnowledge, TerminalExit } from '../../terminal/host.ts'
import { runTerminal } from '../../terminal/run-terminal.ts'
import type { StatusSource } from '../../terminal/status-line/status-line.ts'
import { type ManualClock, manualClock } from '../manual-clock.ts'
import { type FakeSessionControl, fakeSessionControl } from './fake-session-control.ts'
import { type VirtualTerminal, virtualTerminal } from './virtual-terminal.ts'

export interface OpenScreen {
  readonly terminal: VirtualTerminal
  readonly control: FakeSessionControl
  readonly clock: ManualClock
  readonly exit: Promise<TerminalExit>
  /** Presses each key by itself. Names in angle brackets are keys: `<enter>`. */
  type(keys: string): void
  /** Waits until the screen contains the text, or no longer does; resolves to the screen. */
  shows(...texts: (string | RegExp)[]): Promise<string>
  hides(text: string | RegExp): Promise<string>
  /** Waits until the person's calls contain this one. */
  called(...call: unknown[]): Promise<void>
}

export interface ScreenOptions {
  readonly columns?: number
  readonly rows?: number
  readonly knowledge?: Partial<Omit<ProjectKnowledge, 'commands'>>
  readonly commandFolders?: readonly string[]
  readonly firstPrompt?: string
  readonly statusLine?: StatusSource
  readonly notices?: NoticeMode
  /** Before the screen opens. */
  readonly prepare?: (control: FakeSessionControl) => void
}

const KEYS: Record<string, string> = {
  enter: '\r',
  escape: '\x1b',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  tab: '\t',
  'shift+tab': '\x1b[Z',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  backspace: '\x7f',
  'alt+enter': '\x1b\r',
  'ctrl+c': '\x03',
  'ctrl+d': '\x04',
  'ctrl+o': '\x0f',
  'ctrl+t': '\x14',
  'ctrl+x': '\x18',
}
const GIVE_UP_MS = 50_000

/** A terminal of a played session: type, and read what a person would see. */
export async function openScreen(options: ScreenOptions = {}): Promise<OpenScreen> {
  const clock = manualClock(1_800_000_000)
  const control = fakeSessionControl(() => clock.now())
  const terminal = virtualTerminal(options.columns, options.rows)
  control.line('lead', {
    ...{ type: 'system', subtype: 'init', cwd: '/shop', model: 'anthropic/claude-x', tools: [] },
    ...{ permissionMode: 'default', sandbox: 'on', version: '0.1.0' },
  })
  options.prepare?.(control)
  const exit = runTerminal({
    commandFolders: options.commandFolders ?? [],
    ...{ control, clock, terminal },
    ...(options.firstPrompt !== undefined && { firstPrompt: options.firstPrompt }),
    ...(options.statusLine && { statusLine: options.statusLine }),
    ...(options.notices && { notices: options.notices }),
    knowledge: {
      ...{
        project: 'shop',
        root: '/shop',
        version: '0.1.0',
        cwd: '/nowhere',
        env: {},
        budget: 5,
        skills: [],
        agentTypes: [],
      },
      sessions: async () => [],
      isAttached: false,
      resumeCommand: () => 'deskmates -r s1',
      ...options.knowledge,
    },
  })
  const screen = async () => (await terminal.screen()).join('\n')
  const open: OpenScreen = {
    terminal,
    control,
    clock,
    exit,
    type(keys) {
      for (const [key, name] of keys.matchAll(/<([a-z+]+)>|[\s\S]/gu))
        terminal.press(name === undefined ? key : KEYS[name]!)
    },
    shows: (...texts) =>
      until(
        screen,
        (shown) => texts.every((text) => has(shown, text)),
        () => `shows ${texts.join(', ')}`,
      ),
    hides: (text) =>
      until(
        screen,
        (shown) => !has(shown, text),
        () => `hides ${text}`,
      ),
    async called(...call) {
      const wanted = JSON.stringify(call)
      await until(
        async () => control.calls.map((one) => JSON.stringify(one)).join('\n'),
        (calls) => calls.split('\n').includes(wanted),
        () => `is called with ${wanted}`,
      )
    },
  }
  await open.shows('deskmates')
  return open
}

function has(shown: string, text: string | RegExp): boolean {
  return typeof text === 'string' ? shown.includes(text) : text.test(shown)
}

/** Frames are drawn by a timer of the painter, so a test looks until it sees what it expects. */
async function until(
  read: () => Promise<string>,
  isRight: (text: string) => boolean,
  what: () => string,
): Promise<string> {
  const giveUpAt = performance.now() + GIVE_UP_MS
  for (;;) {
    const text = await read()
    if (isRight(text)) return text
    if (performance.now() > giveUpAt) throw new Error(`The terminal never ${what()}:\n${text}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
