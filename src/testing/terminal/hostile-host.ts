import type { Drawn } from '../../terminal/drawing/drawn.ts'
import type { Host, SessionChoice } from '../../terminal/host.ts'
import type { OpenView } from '../../terminal/views/open-view.ts'
import { applyLine } from '../../view/apply-line.ts'
import { needsPerson } from '../../view/needs-person.ts'
import { emptyView, type ToolEntry } from '../../view/view.ts'
import { manualClock } from '../manual-clock.ts'
import { fakeSessionControl } from './fake-session-control.ts'
import { claimed, created, failed, joined, mail, task } from './team-events.ts'

/** A session in which everything that others can write is this text, and what a command printed or opened there. */
export interface HostileHost {
  readonly host: Host
  /** Also lines of views that were opened. */
  printed(columns: number): Drawn[]
}

export function hostileHost(text: string): HostileHost {
  const clock = manualClock(1_800_000_000)
  const control = fakeSessionControl(() => clock.now())
  const view = emptyView()
  control.subscribe((timed) => applyLine(view, timed))
  control.line('lead', {
    ...{ type: 'system', subtype: 'init', cwd: text, model: text, tools: [text] },
    ...{ permissionMode: 'default', sandbox: 'on', version: text },
  })
  control.record(created, joined('lead', text), joined('backend', text), task('1', text), task('2', text, ['1']))
  control.record(claimed('1', 'backend'), mail('m1', 'backend', 'lead', text), mail('m2', text, 'user', text))
  control.record(task('3', text), claimed('3', 'lead'), failed('3', text))
  control.input('lead', text)
  control.says('lead', { type: 'text', text }, { type: 'tool_use', ...call(text) })
  control.line('lead', { type: 'deskmates/note', text })
  control.line('backend', { type: 'deskmates/waiting', provider: text, seconds: 100, why: text })
  control.question('q1', text, {
    ...{ kind: 'permission', tool: text, input: { [text]: text }, why: text, rules: [text] },
    action: { kind: 'run', tool: text, command: text },
  })
  control.run('settled', text)
  const prints: ((columns: number) => readonly Drawn[])[] = []
  const opened: OpenView[] = []
  for (const method of ['prompt', 'send', 'setMode', 'setModel', 'spawn', 'stop', 'compact'])
    control.refuse(method, text)
  return {
    host: {
      ...{ control, view, clock, contextTokens: 1 },
      knowledge: {
        ...{
          project: text,
          root: '/nowhere',
          version: text,
          cwd: '/nowhere',
          env: {},
          budget: 5,
          isAttached: false,
          resumeCommand: () => text,
        },
        commands: [{ name: text, args: text, about: text, prompt: text }],
        skills: [{ name: text, description: text }],
        agentTypes: [{ name: text, description: text }],
        sessions: async () => [hostileSession(text)],
      },
      print: (lines) => void prints.push(lines),
      open: (one) => void opened.push(one),
      closeView() {},
      leave() {},
      needs: () => needsPerson(view),
      hideNeed() {},
      queued() {},
      async runOwnCommand() {},
    },
    printed: (columns) => [
      ...prints.flatMap((lines) => lines(columns)),
      ...opened.flatMap((one) => [one.title, ...one.lines(columns), ...(one.typedLines?.(columns) ?? [])]),
    ],
  }
}

export function hostileSession(text: string): SessionChoice {
  return { id: text, at: 1, firstPrompt: text, members: [text, text], unread: 2, isRunning: true }
}

export function hostileCall(text: string, state: ToolEntry['state'], input: unknown): ToolEntry {
  const isOver = state === 'done' || state === 'failed'
  return {
    ...{ kind: 'tool', at: 1, id: text, name: text, input, state },
    ...{ progress: text, result: text, endedAt: isOver ? 2 : undefined },
  }
}

function call(text: string) {
  return { id: 'c1', name: text, input: { command: text, [text]: text } }
}
