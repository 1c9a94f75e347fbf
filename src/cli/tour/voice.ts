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
  /** Something the tour promised and looked at. */
  proof(text: string): Promise<void>
  /** A command as somebody could type it. */
  command(text: string): Promise<void>
  happened(happened: Happened, state: TeamState): Promise<void>
  board(state: TeamState): Promise<void>
}

/** A person reads slower than processes write; a pipe does not mind. In milliseconds per line. */
const READING = 140

export function openVoice(call: Call): Voice {
  const { bold, cyan, dim, green } = colours(call)
  const began = performance.now()

  async function line(text: string): Promise<void> {
    if (call.globals.json) return
    await print(call, `${text}\n`)
    // Ctrl-C ends the pause, not the telling.
    if (call.isTerminal) await sleep(READING, undefined, { signal: call.signal }).catch(() => {})
  }

  return {
    heading: async (text) => {
      await line('')
      await line(bold(text))
    },
    async say(text) {
      for (const part of wrapped(text, WIDEST)) await line(`  ${part}`)
    },
    async proof(text) {
      const [first, ...more] = wrapped(text, WIDEST - 4)
      await line(`  ${green('ok')}  ${first}`)
      for (const part of more) await line(`      ${part}`)
    },
    command: (text) => line(`  ${dim('$')} ${text}`),
    board: async (state) => {
      for (const row of boardPicture(state, colours(call))) await line(`  ${row}`)
    },
    async happened({ by, events }, state) {
      const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(4)
      for (const event of events) {
        const words = wordsFor(event, state)
        if (words) await line(`  ${dim(`${seconds}s`)}  ${cyan((words.who ?? by).padEnd(WIDTH))}  ${words.what}`)
      }
    },
  }
}

/** Fits a terminal of 80 columns, with the indentation. */
const WIDEST = 76
const WIDTH = 5
const MOST = 62

function wrapped(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}

/** What is worth a line. Renewals, takings and the like are in the journal for whoever wants them. */
function wordsFor(event: TeamEvent, state: TeamState): { who?: string; what: string } | undefined {
  const task = (id: string) => `#${id} ${state.tasks.get(id)?.subject ?? ''}`
  const quoted = (content: string) => oneLine(content, MOST - 10)
  switch (event.type) {
    case 'task.claimed':
      return { who: event.owner, what: oneLine(`takes ${task(event.id)}`, MOST) }
    case 'task.completed':
      return { what: oneLine(`has done ${task(event.id)}: ${event.result}`, MOST) }
    case 'task.failed':
      return { what: oneLine(`gives up ${task(event.id)}: ${event.reason}`, MOST) }
    case 'task.released':
      return { who: '', what: oneLine(`${task(event.id)} is free again: ${event.end}`, MOST) }
    case 'message.sent':
      return { what: `-> ${event.message.to}: ${quoted(event.message.content)}` }
    case 'external.received':
      return {
        who: oneLine(event.message.from, WIDTH),
        what: `-> ${event.message.to}: ${quoted(event.message.content)}`,
      }
    default:
      return undefined
  }
}
