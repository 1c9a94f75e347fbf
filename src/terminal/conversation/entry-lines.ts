import { counted } from '../../team/wording.ts'
import type { Entry, ToolEntry } from '../../view/view.ts'
import { type Drawn, draw, EMPTY, paint, spread } from '../drawing/drawn.ts'
import { markdownLines, wrappedLines } from '../drawing/text-lines.ts'
import { elapsed } from '../drawing/values.ts'
import { changeLines, fileChangeOf } from './file-change.ts'
import type { Piece } from './markdown-pieces.ts'

/** Lines of a change or a prompt that stand in the conversation; the whole change is in the list of calls. */
const SHOWN_CHANGE_LINES = 12
const SHOWN_INPUT_LINES = 10

export function pieceLines({ markdown, hasGap, isContinued, continues }: Piece, columns: number): Drawn[] {
  const lines = markdownLines(markdown, columns)
  const inner = lines.slice(isContinued ? 1 : 0, continues ? -1 : undefined)
  return hasGap ? [EMPTY, ...inner] : inner
}

type InputEntry = Extract<Entry, { kind: 'input' }>

/** What the user typed, and what was added to it; or a notice of the runtime. Mail is announced when it is sent. */
export function inputLines({ text, typed }: InputEntry, columns: number): Drawn[] {
  const width = Math.max(1, columns - 2)
  // A command of the user stands for its prompt; images and hooks add to one.
  const added = typed && text.startsWith(typed) ? text.slice(typed.length).trim() : ''
  const own = typed ?? text.replace(MESSAGE, '').trim()
  if (own === '') return []
  if (typed === null) return firstLines(noteLines(own, columns), columns)
  const lines = wrappedLines(own, width).map((line, i) => paint.bold(draw`${i === 0 ? '> ' : '  '}${line}`))
  const below = added === '' ? [] : firstLines(noteLines(added, columns), columns)
  return [EMPTY, ...firstLines(lines, columns), ...below]
}

function firstLines(lines: readonly Drawn[], columns: number): Drawn[] {
  const shown = lines.slice(0, SHOWN_INPUT_LINES)
  const more = lines.length - shown.length
  return more > 0 ? [...shown, paint.dim(`    … ${counted(more, 'more line')}`).fit(columns)] : shown
}

/** Input of a teammate: mail with its sender too, because nothing else in its conversation says what it was asked. */
function receivedLines(entry: InputEntry, columns: number): Drawn[] {
  const { text, typed } = entry
  if (typeof typed === 'string') return inputLines(entry, columns)
  const mail = [...text.matchAll(MESSAGE)].flatMap(([, from = '', content = '']) => [
    EMPTY,
    draw`${paint.magenta('✉')} ${paint.bold(from)}`.fit(columns),
    ...wrappedLines(content.trim(), Math.max(1, columns - 4)).map((line) => draw`    ${line}`),
  ])
  return [...mail, ...inputLines(entry, columns)]
}

/** As models read mail: the sender cannot write this mark into its text. */
const MESSAGE = /<message from="([^"]*)"[^>]*>([\s\S]*?)<\/message>/g

export function noteLines(text: string, columns: number): Drawn[] {
  return wrappedLines(text, Math.max(1, columns - 2)).map((line, i) => paint.dim(draw`${i === 0 ? '· ' : '  '}${line}`))
}

/** A file that came with a prompt, in one line. */
export function attachmentLine({ file, text }: Extract<Entry, { kind: 'attachment' }>, columns: number): Drawn {
  return paint.dim(draw`  ⎿ attached ${file} (${text})`).fit(columns)
}

/** One line for a call, with the key that opens it where there are keys, and below it the change of a file or the first line of what came back. */
export function callLines(call: ToolEntry, columns: number, canOpen = true): Drawn[] {
  const change = fileChangeOf(call.name, call.input)
  const mark = call.state === 'failed' ? paint.red('⏺') : paint.green('⏺')
  const counts = change ? draw`  ${paint.green(`+${change.added}`)} ${paint.red(`−${change.removed}`)}` : EMPTY
  const title = spread(draw`${mark} ${callTitle(call)}${counts}`, canOpen ? paint.dim('(^O open)') : EMPTY, columns)
  if (change && call.state !== 'failed') {
    const lines = changeLines(change, columns)
    return [
      title,
      ...lines.slice(0, SHOWN_CHANGE_LINES),
      ...moreLines(lines.length - SHOWN_CHANGE_LINES, columns, canOpen),
    ]
  }
  const output = call.result.trim().split('\n')
  const more = output.length > 1 ? ` (${counted(output.length - 1, 'more line')})` : ''
  const first = output[0] === '' ? [] : [paint.dim(draw`  ⎿ ${output[0]!}${more}`).fit(columns)]
  return [title, ...first]
}

/** A call that runs: what it is, for how long, and the newest line of its output. */
export function runningCallLines(call: ToolEntry, now: number, columns: number): Drawn[] {
  const time = paint.dim(elapsed(now - call.at))
  const title = spread(draw`${paint.yellow('◌')} ${callTitle(call)}`, time, columns)
  const progress = call.progress.trimEnd().split('\n').at(-1)!
  return progress === '' ? [title] : [title, paint.dim(draw`  ⎿ ${progress}`).fit(columns)]
}

/** Everything about a call: its whole input and its whole output. */
export function wholeCallLines(call: ToolEntry, columns: number): Drawn[] {
  const change = fileChangeOf(call.name, call.input)
  const input = change ? changeLines(change, columns) : inputFields(call.input, columns)
  const result = call.result === '' ? [] : [EMPTY, ...wrappedLines(call.result, columns)]
  return [paint.bold(callTitle(call)).fit(columns), ...input, ...result]
}

/** Each field of an input in full. */
export function inputFields(input: unknown, columns: number): Drawn[] {
  if (typeof input !== 'object' || input === null) return wrappedLines(String(input), columns)
  return Object.entries(input).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const lines = wrappedLines(text ?? '', Math.max(1, columns - 4))
    return [paint.dim(`  ${name}:`).fit(columns), ...lines.map((line) => draw`    ${line}`)]
  })
}

/** The name of the tool and the most telling part of its input; for `Task` also what it starts. */
export function callTitle({ name, input }: Pick<ToolEntry, 'name' | 'input'>): Drawn {
  const fields = (input ?? {}) as Record<string, unknown>
  const telling = [
    fields.command,
    fields.path,
    fields.pattern,
    fields.subject,
    fields.recipient,
    fields.to,
    fields.prompt,
  ]
  const first = telling.find((value) => typeof value === 'string') ?? ''
  const tool =
    name !== 'Task'
      ? name
      : typeof fields.name === 'string'
        ? `Task(teammate:${fields.name})`
        : fields.run_in_background === true
          ? 'Task(bg)'
          : 'Task'
  return draw`${paint.bold(tool)} ${String(first).trim()}`
}

/** An entry that does not change any more, as in the conversation of a teammate. */
export function entryLines(entry: Entry, now: number, columns: number): Drawn[] {
  switch (entry.kind) {
    case 'input':
      return receivedLines(entry, columns)
    case 'note':
      return noteLines(entry.text, columns)
    case 'attachment':
      return [attachmentLine(entry, columns)]
    case 'text':
      return [EMPTY, ...markdownLines(entry.text, columns)]
    case 'thinking':
      return entry.isStreaming ? [thinkingLine(entry.text, columns)] : []
    case 'tool':
      return entry.endedAt === undefined ? runningCallLines(entry, now, columns) : callLines(entry, columns)
    default:
      return entry satisfies never
  }
}

export function thinkingLine(text: string, columns: number): Drawn {
  return paint.dim(draw`✻ thinking: ${text.trimEnd().split('\n').at(-1)!}`).fit(columns)
}

function moreLines(count: number, columns: number, canOpen: boolean): Drawn[] {
  return count > 0 ? [paint.dim(`    … ${counted(count, 'more line')}${canOpen ? ' (^O)' : ''}`).fit(columns)] : []
}
