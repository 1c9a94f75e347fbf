import { randomBytes } from 'node:crypto'
import { createColors } from 'picocolors'
import { plainText } from '../../redaction/plain-text.ts'

/**
 * Our own colours are written with this mark in place of the escape sign, and become colours where text leaves the process.
 * Text of others cannot hold the mark, since it is another one in each process: whatever escapes stand in it are taken out.
 */
const MARK = `\ue000${randomBytes(9).toString('base64url')}\ue000`
const PAINTED = new RegExp(`${MARK}(\\[\\d{1,3}m)`, 'g')

type Colours = ReturnType<typeof createColors>

/** picocolors, with marks; escapes that stand in the text are none of ours. */
export function markedColours(isOn: boolean): Colours {
  const colours = createColors(isOn)
  const marked = Object.entries(colours).map(([name, paint]) => [
    name,
    typeof paint === 'function' ? (text: string) => paint(plainText(text)).replaceAll('\x1b', MARK) : paint,
  ])
  return Object.fromEntries(marked) as Colours
}

/** What a terminal gets: text of others made harmless, our colours as they are meant. */
export function onTerminal(text: string): string {
  return plainText(text).replace(PAINTED, '\x1b$1')
}

/** The same without colours, to measure it. */
export function withoutPaint(text: string): string {
  return text.includes(MARK) ? text.replace(PAINTED, '') : text
}
