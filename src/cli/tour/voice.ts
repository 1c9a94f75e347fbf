import { setTimeout as sleep } from 'node:timers/promises'
import type { TeamEvent } from '../../team/event.ts'
import type { TeamState } from '../../team/state.ts'
import type { Call } from '../context.ts'
import { print } from '../print.ts'
import { colours, oneLine } from '../screen.ts'
import { boardPicture } from './board-picture.ts'
import type { Happened } from './chronicle.ts'

/** Tells the tour to a person. Silent when a program listens: it gets one summary at the end. */
export interface Voice {
  heading(text: string): Promise<void>
  say(text: string): Promise<void>
  /** Something the tour promised and has looked up. */
  proof(text: string): Promise<void>
  /** A command as somebody could type it. */
  command(text: string): Promise<void>
  happened(happened: Happened, state: TeamState): Promise<void>
  board(state: TeamState): Promise<void>
}

/** A person reads slower than processes write; a pipe does not mind. In milliseconds. */
const PAUSE = { line: 60, heading: 200, picture: 500 }

/** Fits a terminal of 80 columns, with the indentation. */
const WIDEST = 76
const EVENT = 62
const NAME = 5

export function openVoice(call: Call): Voice {
  const { bold, cyan, dim, green } = colours(call)
  let began: number | undefined
  // What happens and what is said about it come from two sides: one after the other, each in one piece.
  let before: Promise<void> = Promise.resolve()

  function tell(lines: readonly string[], pause: number): Promise<void> {
    if (call.globals.json) return Promise.resolve()
    before = before.then(async () => {
      await print(call, lines.map((line) => `${line}\n`).join(''))
      // Ctrl-C ends the pause, not the telling.
      if (call.isTerminal) await sleep(pause, undefined, { signal: call.signal }).catch(() => {})
    })
    return before
  }

  return {
    heading: (text) => tell(['', bold(text)], PAUSE.heading),
    say: (text) => tell(indented(wrapped(text, WIDEST)), PAUSE.line),
    proof(text) {
      const [first = '', ...more] = wrapped(text, WIDEST - 4)
      return tell([`  ${green('ok')}  ${first}`, ...more.map((line) => `      ${line}`)], 2 * PAUSE.line)
    },
    command: (text) => tell([`  ${dim('$')} ${text}`], PAUSE.line),
    board: (state) => tell(['', ...indented(boardPicture(state, colours(call))), ''], PAUSE.picture),
    async happened({ at, by, events }, state) {
      began ??= at
      const time = dim(`${(at - began).toFixed(2).padStart(5)} s`)
      for (const event of events) {
        const words = wordsFor(event, state)
        if (words) await tell([`  ${time}  ${cyan((words.who ?? by).padEnd(NAME))}  ${words.what}`], PAUSE.line)
      }
    },
  }
}

/** What is worth a line. Renewals, takings and the like are in the journal for whoever wants them. */
function wordsFor(event: TeamEvent, state: TeamState): { who?: string; what: string } | undefined {
  const task = (id: string) => `#${id} ${state.tasks.get(id)?.subject ?? ''}`
  const mail = (to: string, content: string) => oneLine(`-> ${to}: ${content}`, EVENT)
  switch (event.type) {
    case 'task.claimed':
      return { who: event.owner, what: oneLine(`takes ${task(event.id)}`, EVENT) }
    case 'task.completed':
      return { what: oneLine(`has done ${task(event.id)}: ${event.result}`, EVENT) }
    case 'task.failed':
      return { what: oneLine(`gives up ${task(event.id)}: ${event.reason}`, EVENT) }
    case 'task.released':
      return { who: '', what: oneLine(`${task(event.id)} is free again: ${event.end}`, EVENT) }
    case 'message.sent':
      return { what: mail(event.message.to, event.message.content) }
    case 'external.received':
      return { who: oneLine(event.message.from, NAME), what: mail(event.message.to, event.message.content) }
    default:
      return undefined
  }
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}

function wrapped(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
