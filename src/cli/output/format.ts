import { plainText } from '../../redaction/plain-text.ts'
import type { Call } from '../program/context.ts'
import { markedColours } from './colours.ts'
import { cutTo, padded, widthOf, wrapped } from './wrap.ts'

/** Colours for people: never in a pipe, never against NO_COLOR. */
export function colours({ isTerminal, env }: Call) {
  return markedColours(isTerminal && !env.NO_COLOR && env.TERM !== 'dumb')
}

/**
 * Columns as wide as their widest cell, the last one ragged. Headings are for people; a program that reads the lines would have to skip them.
 */
export function table(call: Call, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const { dim } = colours(call)
  const all = call.isTerminal && rows.length > 0 ? [headings, ...rows] : rows
  // Not spread into one call: a board may have more rows than a call may have arguments.
  const widths = headings.map((_, column) => all.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0))
  const start = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0)
  const lines = all.map((row, i) => {
    const line = row.map((cell, column) => (column === row.length - 1 ? cell : padded(cell, widths[column] ?? 0)))
    const text = all !== rows && i === 0 ? dim(line.join('  ')) : line.join('  ').trimEnd()
    return call.isTerminal ? wrapped(text, call.stdout.columns, start) : text
  })
  return lines.map((line) => `${line}\n`).join('')
}

/** Text of others, safe for a terminal: nothing in it moves the cursor or changes earlier output. */
export function plain(text: string): string {
  return plainText(text)
}

/** The same on one line of limited length, cut between two words where possible. */
export function oneLine(text: string, most = 120): string {
  const line = plain(text.replace(/\s+/g, ' ').trim())
  if (widthOf(line) <= most) return line
  const cut = cutTo(line, most - 1)
  const space = cut.lastIndexOf(' ', cut.length - 1)
  return space > cut.length / 2 ? `${line.slice(0, space)} …` : `${cut}…`
}

/** What models, files and providers say, in a log: further lines are indented, so that none looks like a line of the log. */
export function logText(text: string): string {
  return plain(text.trim().replace(/\s*[\n\r\u0085\u2028\u2029]+/g, '\n  '))
}

export function indented(text: string): string {
  return plain(text).replace(/^(?=.)/gm, '  ')
}

/** Local time; the date too, because journals live longer than a day. */
export function time(seconds: number): string {
  const at = new Date(seconds * 1000)
  if (Number.isNaN(at.getTime())) return '?'
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}
