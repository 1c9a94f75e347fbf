import { visibleWidth } from '@earendil-works/pi-tui'

/**
 * How many columns a line takes at most: each character for itself, as terminals count that do not join characters.
 * Others draw joined emoji and letters in fewer columns, which leaves left but never breaks a line.
 */
export function columnsOf(line: string): number {
  if (PRINTABLE.test(line)) return line.length
  let columns = 0
  for (const piece of line.split(SEQUENCE)) columns += PRINTABLE.test(piece) ? piece.length : columnsOfText(piece)
  return columns
}

/** As much of the line as fits. Colours stay; a character is not divided from its combining marks. */
export function cutToColumns(line: string, columns: number): string {
  let left = columns
  let cut = ''
  for (const piece of line.split(SEQUENCE_KEPT)) {
    if (piece.startsWith('\x1b')) {
      cut += piece
      continue
    }
    for (const character of piece) {
      const width = columnsOfCharacter(character)
      if (width > left) return cut
      left -= width
      cut += character
    }
  }
  return cut
}

/** Pieces of at most so many columns, all of the line; colours reach to the end of a piece. */
export function broken(line: string, columns: number): string[] {
  if (columnsOf(line) <= columns) return [line]
  const pieces: string[] = []
  let [piece, left, colours] = ['', columns, '']
  for (const part of line.split(SEQUENCE_KEPT)) {
    if (part.startsWith('\x1b')) {
      piece += part
      colours = part === RESET ? '' : colours + part
      continue
    }
    for (const character of charactersOf(part, columns)) {
      const width = columnsOfText(character)
      if (width > left && left < columns) {
        pieces.push(colours === '' ? piece : piece + RESET)
        piece = colours
        left = columns
      }
      if (width > left) continue
      piece += character
      left -= width
    }
  }
  return [...pieces, piece]
}

const RESET = '\x1b[0m'
const PRINTABLE = /^[\x20-\x7e]*$/
// biome-ignore-start lint/suspicious/noControlCharactersInRegex: the escape character is what they find.
/** Colours, the mark of the cursor and the end of a link: all that pi-tui and we write into a line. */
const SEQUENCE = /\x1b(?:\[[\d;]*m|_[^\x07]*\x07|\]8;;\x07)/
const SEQUENCE_KEPT = /(\x1b(?:\[[\d;]*m|_[^\x07]*\x07|\]8;;\x07))/
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: the escape character is what they find.

/** Letters with their marks, and emoji that are joined, stay together where they fit into a line. */
function charactersOf(text: string, columns: number): string[] {
  if (PRINTABLE.test(text)) return [...text]
  return [...GRAPHEMES.segment(text)].flatMap(({ segment }) =>
    columnsOfText(segment) <= columns ? [segment] : [...segment],
  )
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function columnsOfText(text: string): number {
  let columns = 0
  for (const character of text) columns += columnsOfCharacter(character)
  return columns
}

const known = new Map<string, number>()
const MAX_KNOWN = 4096

/**
 * Marks take a column of their own where they stand beside their letter, and in terminals that do not know their script. Only
 * those of scripts that every terminal knows, and joiners, take none.
 */
const MAY_TAKE_A_COLUMN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: marks and joiners are what it finds.
  /\p{Mc}|(?![\u0300-\u109f\u1780-\u17ff\u200b-\u200f\u20d0-\u20f0\u3000-\u30ff\ufe00-\ufe23])[\p{M}\p{Cf}]/u

function columnsOfCharacter(character: string): number {
  if (character >= ' ' && character <= '~') return 1
  const width = known.get(character)
  if (width !== undefined) return width
  if (known.size >= MAX_KNOWN) known.clear()
  const measured = MAY_TAKE_A_COLUMN.test(character) ? Math.max(1, visibleWidth(character)) : visibleWidth(character)
  known.set(character, measured)
  return measured
}
