import { nameKey } from '../../team/name.ts'
import { heldBy, unreadOf } from '../../team/state.ts'
import { boardRows } from '../../view/board-rows.ts'
import type { ShownMessage, View } from '../../view/view.ts'
import { entryLines } from '../conversation/entry-lines.ts'
import { type Drawn, draw, EMPTY, paint, spread } from '../drawing/drawn.ts'
import { wrappedLines } from '../drawing/text-lines.ts'
import { timeOfDay } from '../drawing/values.ts'
import { boardLines } from '../views/board-graph.ts'
import { messageHead } from '../views/mail-lines.ts'
import type { OpenView } from '../views/open-view.ts'

/** The moment that is shown: it changes while a view of it is open. */
export interface Moment {
  readonly view: View
  readonly now: number
}

const SHOWN_ENTRIES = 200

/** What an agent knew then: its conversation, the task it held, and mail that it had not read. */
export function knowledgeView(moment: () => Moment, name: string): OpenView {
  return {
    get title() {
      return titleOf(moment(), name)
    },
    lines(columns) {
      const { view, now } = moment()
      const entries = view.agents.get(name)?.conversation ?? []
      const lines = entries.slice(-SHOWN_ENTRIES).flatMap((entry) => entryLines(entry, now, columns))
      const known = lines.length > 0 ? lines : [paint.dim('Its conversation was empty then.')]
      return [...known, ...unreadLines(view, name, columns)]
    },
    keys: '',
    followsEnd: true,
  }
}

function unreadLines({ teams }: View, name: string, columns: number): Drawn[] {
  const unread = [...teams.values()].flatMap((state) => unreadOf(state, name))
  if (unread.length === 0) return []
  return [
    EMPTY,
    paint.yellow(`${unread.length} ${unread.length === 1 ? 'message' : 'messages'} that it had not read:`).fit(columns),
    ...unread.flatMap(({ message }) => [
      draw`  ${messageHead(message)}`.fit(columns),
      ...wrappedLines(message.content.trim(), Math.max(1, columns - 4)).map((line) => paint.dim(draw`    ${line}`)),
    ]),
  ]
}

function titleOf({ view }: Moment, name: string): Drawn {
  for (const state of view.teams.values()) {
    const member = state.members.get(nameKey(name))
    if (!member) continue
    const task = heldBy(state, name)
    const held = task ? draw` · holds #${task.id} ${task.subject}` : draw` · holds no task`
    return draw`${paint.bold(name)} (${member.role}) · ${member.status.replaceAll('_', ' ')}${held}`
  }
  return draw`${paint.bold(name)} · had not joined`
}

export function replayedBoard(moment: () => Moment): OpenView {
  return {
    title: paint.bold('board'),
    lines(columns) {
      const boards = [...moment().view.teams].filter(([, state]) => state.tasks.size > 0)
      if (boards.length === 0) return [paint.dim('The board was empty then.')]
      return boards.flatMap(([team, state]) => [
        ...(boards.length > 1 ? [paint.bold(team).fit(columns)] : []),
        ...boardLines(boardRows(state), columns),
      ])
    },
    keys: '',
    followsEnd: false,
  }
}

/** All mail up to then, with who had read it. */
export function replayedMail(moment: () => Moment): OpenView {
  return {
    title: paint.bold('mail'),
    lines(columns) {
      const { view } = moment()
      if (view.mail.length === 0) return [paint.dim('No mail was sent until then.')]
      return view.mail.flatMap((shown) => [
        spread(messageHead(shown.message), readers(view, shown), columns),
        ...wrappedLines(shown.message.content, Math.max(1, columns - 2)).map((line) => draw`  ${line}`),
        EMPTY,
      ])
    },
    keys: '',
    followsEnd: true,
  }
}

function readers({ teams }: View, { at, team, message, readBy }: ShownMessage): Drawn {
  const boxes = [...(teams.get(team)?.mailboxes ?? [])]
  const waiting = boxes.flatMap(([name, box]) => (box.has(message.id) ? [name] : []))
  const parts = [
    ...(readBy.length > 0 ? [paint.green(draw`read by ${[...new Set(readBy)].join(', ')}`)] : []),
    ...(waiting.length > 0 ? [paint.yellow(draw`unread by ${waiting.join(', ')}`)] : []),
    paint.dim(timeOfDay(at)),
  ]
  return parts.reduce((line, part) => draw`${line}${paint.dim(' · ')}${part}`)
}
