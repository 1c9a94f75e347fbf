import stringWidth from 'fast-string-width'
import { wrapAnsi } from 'fast-wrap-ansi'
import { withoutColours } from './colours.ts'

/**
 * Breaks lines between words where a terminal of so many columns would break them inside one. The rest of a line begins
 * at `margin`, or a little further in than the line itself. Without columns, as in a pipe, lines stay whole.
 */
export function wrapped(text: string, columns: number | undefined, margin?: number): string {
  if (!columns) return text
  return text
    .split('\n')
    .map((line) => (widthOf(line) <= columns ? line : wrappedLine(line, columns, margin)))
    .join('\n')
}

/** A word that is longer than a line, such as a path, has a line for itself. */
function wrappedLine(line: string, columns: number, margin = widthOf(/^ */.exec(line)![0]) + 2): string {
  const indent = ' '.repeat(margin > columns / 2 ? 2 : margin)
  const lines: string[] = []
  let current = ''
  const add = (word: string) => {
    if (current.trim() === '' || widthOf(current + word) <= columns) {
      current += word
    } else {
      lines.push(current)
      current = indent + word.trimStart()
    }
  }
  for (const word of line.match(/\s*\S+|\s+$/g) ?? []) {
    const [first = '', ...rest] =
      widthOf(word) > columns - indent.length ? brokenWord(word, columns - indent.length) : [word]
    add(first)
    for (const piece of rest) {
      lines.push(current)
      current = indent + piece
    }
  }
  return [...lines, current].join('\n')
}

/** Columns on a terminal: colours and combining marks take none, wide characters and emoji two. */
export function widthOf(text: string): number {
  const bare = withoutColours(text)
  return ASCII.test(bare) ? bare.length : stringWidth(bare)
}

const ASCII = /^[\x20-\x7e]*$/

/** As much of the text as fits, cut between two graphemes: never inside of an emoji or a flag. */
export function cutTo(text: string, columns: number): string {
  if (ASCII.test(text)) return text.slice(0, columns)
  let width = 0
  let end = 0
  for (const { segment, index } of GRAPHEMES.segment(text)) {
    width += stringWidth(segment)
    if (width > columns) break
    end = index + segment.length
  }
  return text.slice(0, end)
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** Breaks a word wider than a line between graphemes, for scripts without spaces; a path stays in one piece. */
function brokenWord(word: string, columns: number): string[] {
  if (!/[^\x20-\x7e]/.test(word) || columns < 2) return [word]
  const lines = wrapAnsi(word, columns, { hard: true, trim: false, wordWrap: false }).split('\n')
  return lines.every((line) => line !== '') ? lines : [word]
}
