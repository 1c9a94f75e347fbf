import { Editor } from '@earendil-works/pi-tui'
import { Announcements } from '../../terminal/announcements.ts'
import { needView } from '../../terminal/answer-need.ts'
import * as entries from '../../terminal/conversation/entry-lines.ts'
import { changeLines, fileChangeOf } from '../../terminal/conversation/file-change.ts'
import { PrintedConversation } from '../../terminal/conversation/printed-conversation.ts'
import { type Drawn, draw, spread } from '../../terminal/drawing/drawn.ts'
import { editorLines } from '../../terminal/drawing/editor-lines.ts'
import { ScrollbackTui } from '../../terminal/drawing/scrollback-tui.ts'
import { markdownLines, wrappedLines } from '../../terminal/drawing/text-lines.ts'
import { editorTheme } from '../../terminal/drawing/theme.ts'
import { FinishedBlocks } from '../../terminal/finished-blocks.ts'
import type { Host } from '../../terminal/host.ts'
import { coverLines, footerLine, headerLine, statusLines } from '../../terminal/layout.ts'
import { knowledgeView, replayedBoard, replayedMail } from '../../terminal/replay/replayed-views.ts'
import { boardView, mailView } from '../../terminal/slash/mail-commands.ts'
import { helpLines } from '../../terminal/slash/session-commands.ts'
import { colouredLines } from '../../terminal/status-line/coloured-lines.ts'
import { statusLines as teamStatusLines } from '../../terminal/status-lines.ts'
import { agentRowLine } from '../../terminal/team-panel/agent-row.ts'
import { needRow, needText, wholeNeed } from '../../terminal/team-panel/needs.ts'
import { TeamPanel } from '../../terminal/team-panel/team-panel.ts'
import { boardLines } from '../../terminal/views/board-graph.ts'
import { callsView } from '../../terminal/views/calls-view.ts'
import { announcedMail, mailLines, messageHead } from '../../terminal/views/mail-lines.ts'
import type { OpenView } from '../../terminal/views/open-view.ts'
import { permissionsView } from '../../terminal/views/permissions-view.ts'
import { SessionList, typedSessionLines } from '../../terminal/views/session-list.ts'
import { sessionsView } from '../../terminal/views/sessions-view.ts'
import { teammateView } from '../../terminal/views/teammate-view.ts'
import { agentRows } from '../../view/agent-rows.ts'
import { boardRows } from '../../view/board-rows.ts'
import type { Need } from '../../view/needs-person.ts'
import type { Entry } from '../../view/view.ts'
import { hostileCall, hostileHost, hostileSession } from './hostile-host.ts'
import { virtualTerminal } from './virtual-terminal.ts'

/** What a component draws where every text that others can write is this one. */
export type DrawHostile = (text: string, columns: number) => readonly Drawn[]

let cached: { readonly text: string; readonly host: Host } | undefined

/** Components only read it. */
function hostOf(text: string): Host {
  if (cached?.text !== text) cached = { text, host: hostileHost(text).host }
  return cached.host
}

let screen: { readonly columns: number; readonly tui: ScrollbackTui } | undefined

/** An editor of its own on a screen that all of them share: a terminal costs more than all that is drawn with it. */
function editorIn(columns: number): Editor {
  if (screen?.columns !== columns)
    screen = { columns, tui: new ScrollbackTui(virtualTerminal(columns), () => EMPTY_FRAME, true) }
  return new Editor(screen.tui, editorTheme)
}

const ofView = (view: OpenView, columns: number) => [view.title.fit(columns), ...view.lines(columns)]
const lead = (text: string) => hostOf(text).view.agents.get('lead')!.conversation
const needs = (text: string): Need[] => [
  ...hostOf(text).needs(),
  { kind: 'request', at: 1, team: text, id: text, request: 'plan_approval', from: text, content: text },
  {
    ...{ kind: 'question', at: 1, team: text },
    question: { id: text, at: 1, agent: text, team: text, about: { kind: 'plan', plan: text } },
  },
  {
    ...{ kind: 'question', at: 1, team: text },
    question: {
      ...{ id: text, at: 1, agent: text, team: text },
      about: {
        ...{ kind: 'permission', tool: 'edit_file', why: text, rules: [text] },
        input: { path: text, old_text: `${text}\n${text}`, new_text: `${text}!` },
        action: { kind: 'write', tool: 'edit_file', path: text },
      },
    },
  },
]
const calls = (text: string) => [
  hostileCall(text, 'running', { command: text }),
  hostileCall(text, 'failed', { [text]: text, list: [text] }),
  { ...hostileCall(text, 'done', { path: text, old_text: text, new_text: `${text}\n${text}` }), name: 'edit_file' },
  { ...hostileCall(text, 'done', { name: text, prompt: text }), name: 'Task' },
]
const texts = (text: string): Entry[] => [
  { kind: 'input', at: 1, text },
  { kind: 'note', at: 1, text },
  { kind: 'text', at: 1, text, isStreaming: true },
  { kind: 'thinking', at: 1, text, isStreaming: true },
  ...calls(text),
]

/** Every function and method of `src/terminal` that returns something drawn, by file and name; a test compares them. */
export const hostileComponents: Readonly<Record<string, DrawHostile>> = {
  'announcements.ts Announcements.take': (text, columns) => {
    const { view } = hostOf(text)
    const announcements = new Announcements()
    announcements.take({ ...view, run: { isWorking: true, since: 0, error: null } }, 1)
    return announcements.take({ ...view, mail: [] }, 1).flatMap((block) => block.lines(columns))
  },
  'answer-need.ts needView': (text, columns) => {
    const host = hostOf(text)
    return needs(text).flatMap((need) => ofView(needView(host, need), columns))
  },
  'conversation/entry-lines.ts pieceLines': (markdown, columns) =>
    entries.pieceLines({ markdown, hasGap: true, isContinued: false, continues: false }, columns),
  'conversation/entry-lines.ts inputLines': (text, columns) => [
    ...entries.inputLines({ kind: 'input', at: 1, text }, columns),
    ...entries.inputLines({ kind: 'input', at: 1, text, typed: null }, columns),
    ...entries.inputLines({ kind: 'input', at: 1, text: text + text, typed: text }, columns),
  ],
  'conversation/entry-lines.ts noteLines': entries.noteLines,
  'conversation/entry-lines.ts attachmentLine': (text, columns) => [
    entries.attachmentLine({ kind: 'attachment', at: 1, file: text, text }, columns),
  ],
  'conversation/entry-lines.ts callLines': (text, columns) =>
    calls(text).flatMap((call) => entries.callLines(call, columns)),
  'conversation/entry-lines.ts runningCallLines': (text, columns) =>
    calls(text).flatMap((call) => entries.runningCallLines(call, 9, columns)),
  'conversation/entry-lines.ts wholeCallLines': (text, columns) =>
    calls(text).flatMap((call) => entries.wholeCallLines(call, columns)),
  'conversation/entry-lines.ts inputFields': (text, columns) => entries.inputFields({ [text]: text }, columns),
  'conversation/entry-lines.ts callTitle': (text, columns) =>
    calls(text).map((call) => entries.callTitle(call).fit(columns)),
  'conversation/entry-lines.ts entryLines': (text, columns) =>
    texts(text).flatMap((entry) => entries.entryLines(entry, 9, columns)),
  'conversation/entry-lines.ts thinkingLine': (text, columns) => [entries.thinkingLine(text, columns)],
  'conversation/file-change.ts changeLines': (text, columns) =>
    changeLines(fileChangeOf('write_file', { path: text, content: `${text}\n${text}` })!, columns),
  'conversation/printed-conversation.ts PrintedConversation.takeFinished': (text, columns) =>
    new PrintedConversation().takeFinished([...lead(text), ...texts(text)]).flatMap((block) => block.lines(columns)),
  'conversation/printed-conversation.ts PrintedConversation.openLines': (text, columns) =>
    new PrintedConversation().openLines(texts(text), 9, columns),
  'drawing/drawn.ts spread': (text, columns) => [spread(draw`${text}`, draw`${text}`, columns)],
  'drawing/editor-lines.ts editorLines': (text, columns) => {
    const editor = editorIn(columns)
    // What is typed or pasted: key-actions makes it harmless first.
    editor.setText(draw`${text}`.bare)
    // Its rows are as wide as pi-tui counts: a person sees what is typed, and nothing below it moves, as rows never wrap.
    return editorLines(editor, columns).map((line) => line.fit(columns))
  },
  'drawing/text-lines.ts markdownLines': markdownLines,
  'drawing/text-lines.ts wrappedLines': wrappedLines,
  'finished-blocks.ts FinishedBlocks.take': (text, columns) =>
    new FinishedBlocks().take(hostOf(text).view, 9).flatMap((block) => block.lines(columns)),
  'finished-blocks.ts FinishedBlocks.openLines': (text, columns) =>
    new FinishedBlocks().openLines(hostOf(text).view, 9, columns),
  'layout.ts coverLines': (text, columns) =>
    coverLines(draw`${text}`, [draw`${text}`], { position: text, keys: draw`${text}`, editor: [] }, columns, 4),
  'layout.ts footerLine': (text, columns) => [
    footerLine(text, '', hostOf(text).view, columns),
    footerLine(undefined, text, hostOf(text).view, columns),
  ],
  'layout.ts headerLine': (text, columns) => {
    const { view, knowledge } = hostOf(text)
    return [headerLine(view, knowledge, 9, columns)]
  },
  'layout.ts statusLines': (text, columns) => {
    const { view: shown } = hostOf(text)
    const lead = { ...shown.agents.get('lead')!, waiting: { until: 99, why: text } }
    const view = { ...shown, run: { isWorking: true, since: 1, error: text }, agents: new Map([['lead', lead]]) }
    return statusLines(view, [text], 9, columns)
  },
  'replay/replayed-views.ts knowledgeView': (text, columns) =>
    ofView(
      knowledgeView(() => ({ view: hostOf(text).view, now: 9 }), 'lead'),
      columns,
    ),
  'replay/replayed-views.ts replayedBoard': (text, columns) =>
    ofView(
      replayedBoard(() => ({ view: hostOf(text).view, now: 9 })),
      columns,
    ),
  'replay/replayed-views.ts replayedMail': (text, columns) =>
    ofView(
      replayedMail(() => ({ view: hostOf(text).view, now: 9 })),
      columns,
    ),
  'status-line/coloured-lines.ts colouredLines': (text, columns) => colouredLines(text, 1, columns),
  'status-lines.ts statusLines': (text, columns) => teamStatusLines(hostOf(text).view, 's1', 9, columns),
  'slash/mail-commands.ts boardView': (text, columns) => ofView(boardView(hostOf(text)), columns),
  'slash/mail-commands.ts mailView': (text, columns) => ofView(mailView(hostOf(text)), columns),
  'slash/session-commands.ts helpLines': (text, columns) =>
    helpLines([{ name: text, args: text, about: text, run() {} }], columns),
  'team-panel/agent-row.ts agentRowLine': (text, columns) =>
    agentRows(hostOf(text).view, 9).flatMap((row) => [
      agentRowLine({ ...row, name: text, lastAction: text }, 9, true, columns),
      agentRowLine({ ...row, name: text, waitsForProvider: null, state: 'idle' }, 9, false, columns),
    ]),
  'team-panel/needs.ts needText': (text, columns) => needs(text).map((need) => needText(need).fit(columns)),
  'team-panel/needs.ts needRow': (text, columns) => needs(text).map((need) => needRow(need, true, columns)),
  'team-panel/needs.ts wholeNeed': (text, columns) => needs(text).flatMap((need) => wholeNeed(need, columns)),
  'team-panel/team-panel.ts TeamPanel.lines': (text, columns) => {
    const panel = new TeamPanel()
    return panel.lines(panel.rows(hostOf(text).view, 9), 9, columns, 3)
  },
  'views/board-graph.ts boardLines': (text, columns) =>
    boardLines(
      boardRows([...hostOf(text).view.teams.values()][0]!).map((row) => ({
        ...row,
        owner: text,
        role: text,
      })),
      columns,
    ),
  'views/calls-view.ts callsView': (text, columns) => ofView(callsView(hostOf(text)), columns),
  'views/permissions-view.ts permissionsView': (text, columns) => {
    const rule = { decision: 'allow', rule: text, from: 'user', path: `/${text}` } as const
    return ofView(permissionsView(hostOf(text), [rule]), columns)
  },
  'views/mail-lines.ts announcedMail': (text, columns) =>
    hostOf(text).view.mail.flatMap((message) => announcedMail(message, columns)),
  'views/mail-lines.ts messageHead': (text, columns) =>
    hostOf(text).view.mail.map(({ message }) => messageHead({ ...message, to: text }).fit(columns)),
  'views/mail-lines.ts mailLines': (text, columns) => mailLines(hostOf(text).view.mail, columns),
  'views/session-list.ts SessionList.title': (text, columns) => {
    const list = new SessionList([hostileSession(text)])
    list.key(text)
    return [list.title.fit(columns)]
  },
  'views/session-list.ts SessionList.lines': (text, columns) =>
    new SessionList([hostileSession(text), hostileSession('')]).lines(columns),
  'views/session-list.ts typedSessionLines': (text, columns) => typedSessionLines([hostileSession(text)], columns),
  'views/sessions-view.ts sessionsView': (text, columns) =>
    ofView(sessionsView(hostOf(text), [hostileSession(text)]), columns),
  'views/teammate-view.ts teammateView': (text, columns) => {
    const host = hostOf(text)
    return ofView(
      teammateView(host, 'backend', () => {}),
      columns,
    )
  },
}

const EMPTY_FRAME = { finished: [], live: [], coversScreen: false }
