import { nameKey } from '../../team/name.ts'
import { unreadOf } from '../../team/state.ts'
import { boardRows } from '../../view/board-rows.ts'
import type { View } from '../../view/view.ts'
import { type Drawn, draw, EMPTY, paint } from '../drawing/drawn.ts'
import { wrappedLines } from '../drawing/text-lines.ts'
import { type Host, isDone, memberNames, tell } from '../host.ts'
import { firstWord } from '../input/parse-input.ts'
import { boardLines } from '../views/board-graph.ts'
import { mailLines } from '../views/mail-lines.ts'
import type { OpenView } from '../views/open-view.ts'
import type { SlashCommand } from './slash-command.ts'

export const mailCommands: readonly SlashCommand[] = [
  {
    name: 'inbox',
    args: '[NAME]',
    about: "show the lead's unread mail, or a teammate's; it stays unread",
    run(host, rest) {
      const [given] = firstWord(rest)
      const known = mailboxNames(host.view)
      const name = known.find((one) => nameKey(one) === nameKey(given === '' ? 'lead' : given))
      if (name === undefined) return tell(host, `No member is called ${given}. Members: ${known.join(', ')}.`)
      host.print((columns) => inboxLines(host.view, name, columns))
    },
  },
  { name: 'mail', args: '', about: 'all mail: sender, recipient and text', run: (host) => host.open(mailView(host)) },
  {
    name: 'msg',
    args: 'NAME|all TEXT',
    about: 'write to a teammate',
    async run(host, rest) {
      const [name, text] = firstWord(rest)
      if (name === '' || text === '') return tell(host, 'Usage: /msg NAME|all TEXT')
      const known = [...memberNames(host), 'all']
      const to = known.find((member) => member.toLowerCase() === name.toLowerCase())
      if (to === undefined) return tell(host, `No member is called ${name}. Members: ${known.join(', ')}.`)
      isDone(host, await host.control.send(to, text))
    },
  },
  { name: 'tasks', args: '', about: 'the board and what waits for what', run: (host) => host.open(boardView(host)) },
]

/** Of everyone who can have mail: members that stopped too, and the user. */
function mailboxNames({ teams }: View): string[] {
  const members = [...teams.values()].flatMap((state) => [...state.members.values()].map(({ name }) => name))
  return [...new Set(['lead', ...members, 'user'])]
}

/** Reads the view only: peeking changes nothing in the team. */
function inboxLines(view: View, name: string, columns: number): Drawn[] {
  const unread = [...view.teams.values()].flatMap((state) => unreadOf(state, name))
  if (unread.length === 0) return [draw`${paint.bold(name)} has no unread mail.`.fit(columns)]
  return [
    draw`${paint.bold(name)} has ${unread.length} unread:`.fit(columns),
    ...unread.flatMap(({ message }) => [
      draw`  ${paint.magenta('✉')} ${paint.bold(message.from)}${message.type === 'message' ? EMPTY : paint.dim(` (${message.type})`)}`.fit(
        columns,
      ),
      ...wrappedLines(message.content, Math.max(1, columns - 4)).map((line) => draw`    ${line}`),
    ]),
  ]
}

export function boardView({ view }: Host): OpenView {
  return {
    title: draw`board`,
    lines: (columns) => {
      const boards = [...view.teams].map(([team, state]) => ({ team, lines: boardLines(boardRows(state), columns) }))
      if (boards.length === 1) return boards[0]!.lines
      return boards.flatMap(({ team, lines }) => [paint.bold(team), ...lines, EMPTY])
    },
    keys: '',
    followsEnd: false,
  }
}

export function mailView({ view }: Host): OpenView {
  return { title: draw`mail`, lines: (columns) => mailLines(view.mail, columns), keys: '', followsEnd: true }
}
