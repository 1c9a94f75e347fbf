import { randomBytes } from 'node:crypto'
import { createColors } from 'picocolors'
import { plainText } from '../../redaction/plain-text.ts'

/**
 * Our own colours are written with this mark in place of the escape character, and become colours where text leaves the
 * process. Text of others cannot contain the mark, which is random in each process: its escapes are removed.
 */
const MARK = `\ue000${randomBytes(9).toString('base64url')}\ue000`
const MARKED = new RegExp(`${MARK}(\\[\\d{1,3}m)`, 'g')

type Colours = ReturnType<typeof createColors>

/** picocolors with marks; escapes in the text itself are removed. */
export function markedColours(isOn: boolean): Colours {
  const colours = createColors(isOn)
  const marked = Object.entries(colours).map(([name, paint]) => [
    name,
    typeof paint === 'function' ? (text: string) => paint(plainText(text)).replaceAll('\x1b', MARK) : paint,
  ])
  return Object.fromEntries(marked) as Colours
}

/** A line that the terminal's own code drew, with nothing of others in it that acts: its colours as marks. */
export function markedAnsi(line: string): string {
  return line.replace(SGR, `${MARK}$1`)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what it finds.
const SGR = /\x1b(\[\d{1,3}m)/g

/** Text for a terminal: escapes of others removed, our marks turned into colours. */
export function toTerminalText(text: string): string {
  return plainText(text).replace(MARKED, '\x1b$1')
}

/** Text without colour marks, to measure it. */
export function withoutColours(text: string): string {
  return text.includes(MARK) ? text.replace(MARKED, '') : text
}
