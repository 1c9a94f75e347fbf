import stringWidth from 'fast-string-width'
import { wrapAnsi } from 'fast-wrap-ansi'
import { withoutColours } from './colours.ts'

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
export function brokenWord(word: string, columns: number): string[] {
  if (!/[^\x20-\x7e]/.test(word) || columns < 2) return [word]
  const lines = wrapAnsi(word, columns, { hard: true, trim: false, wordWrap: false }).split('\n')
  return lines.every((line) => line !== '') ? lines : [word]
}
