import { createInterface } from 'node:readline'
import type { AlarmClock } from '../../journal/clock.ts'
import type { SessionControl } from '../../session/control/session-control.ts'
import type { TimedLine } from '../../session/wire/live-line.ts'
import { applyLine } from '../../view/apply-line.ts'
import { type Need, needsPerson, precedesQuestion } from '../../view/needs-person.ts'
import { emptyView } from '../../view/view.ts'
import { Announcements } from '../announcements.ts'
import { PrintedConversation } from '../conversation/printed-conversation.ts'
import { type Drawn, draw } from '../drawing/drawn.ts'
import { writeLines } from '../drawing/write-lines.ts'
import { follow } from '../feed.ts'
import { type Host, type ProjectKnowledge, type TerminalExit, tell } from '../host.ts'
import { runOwnCommand } from '../input/own-command.ts'
import { submit } from '../submit.ts'
import { needId, needKeys, needOwner, wholeNeed } from '../team-panel/needs.ts'
import type { PlainStreams } from './plain-streams.ts'

export interface PlainOptions extends PlainStreams {
  readonly control: SessionControl
  readonly clock: AlarmClock
  readonly knowledge: ProjectKnowledge
  /** Aborts when the process has to end. */
  readonly signal?: AbortSignal
}

/**
 * The same session as lines: nothing is drawn twice, no cursor moves, no colours. For terminals that cannot do more, and
 * for screen readers.
 */
export function runPlain(
  { control, clock, knowledge, input, output, columns, signal }: PlainOptions,
  firstPrompt?: string,
): Promise<TerminalExit> {
  const view = emptyView()
  const printed = new PrintedConversation(false)
  const announcements = new Announcements()
  const asked = new Set<string>()
  const hidden = new Set<string>()
  const lines = createInterface({ input, terminal: false })
  const abort = new AbortController()
  let contextTokens = 0
  return new Promise((resolve, reject) => {
    let stop: (() => void) | undefined
    let hasLeft = false
    const write = (drawn: readonly Drawn[]) => writeLines(output, drawn)
    const host: Host = {
      ...{ control, view, clock, knowledge },
      get contextTokens() {
        return contextTokens
      },
      print: (print) => write(print(columns)),
      open: (opened) =>
        write([draw`${opened.title}`, ...(opened.typedLines ?? opened.lines)(columns), ...(opened.plainKeys ?? [])]),
      closeView() {},
      leave(exit) {
        if (hasLeft) return
        hasLeft = true
        stop?.()
        abort.abort()
        lines.close()
        const again = knowledge.resumeCommand()
        if (exit.next === 'quit' && again !== undefined) write([draw`Continue with: ${again}`])
        resolve(exit)
      },
      needs: () => needsPerson(view).filter((need) => !hidden.has(needId(need))),
      hideNeed: (need) => void hidden.add(needId(need)),
      queued: (text) => tell(host, `Queued until the lead's next step: ${text}`),
      async runOwnCommand(command) {
        const { cwd, env } = knowledge
        const { output: text, code } = await runOwnCommand(command, { cwd, env, signal: abort.signal })
        tell(host, `${text.trimEnd()}${code === 0 ? '' : `\nexit ${code ?? 'by a signal'}`}`)
      },
    }
    const fail = (error: unknown) =>
      tell(host, `That failed: ${error instanceof Error ? error.message : String(error)}`)
    const update = () => {
      const entries = view.agents.get('lead')?.conversation ?? []
      for (const block of [...printed.takeFinished(entries), ...announcements.take(view, clock.now())])
        write(block.lines(columns))
      for (const need of host.needs()) {
        if (precedesQuestion(need) || asked.has(needId(need))) continue
        asked.add(needId(need))
        write([draw`Needs you:`, ...wholeNeed(need, columns), answerHint(need)])
      }
    }
    lines.on('line', (text) => {
      submit(host, text).catch(fail)
    })
    lines.on('close', () => host.leave({ next: 'quit' }))
    signal?.addEventListener('abort', () => host.leave({ next: 'quit' }), { once: true })
    const receive = (timed: TimedLine) => {
      applyLine(view, timed)
      if (timed.line.type === 'assistant' && timed.line.agent === 'lead')
        contextTokens = timed.line.message.usage.input_tokens
      update()
    }
    const closed = (why: string) => {
      if (!hasLeft) tell(host, why)
      host.leave({ next: 'quit' })
    }
    follow(control, 'lead', receive, closed).then((unsubscribe) => {
      stop = unsubscribe
      if (firstPrompt !== undefined) submit(host, firstPrompt).catch(fail)
    }, reject)
  })
}

function answerHint(need: Need): Drawn {
  const owner = needOwner(need)
  const keys = needKeys(need).map(([key]) => key)
  const always = keys.includes('a') ? ` · /approve ${owner} always · /approve ${owner} save` : ''
  return keys.includes('y')
    ? draw`Answer with: /approve ${owner}${always} · /reject ${owner} WHY`
    : draw`Read it with: /mail`
}
