/**
 * Divides an answer while it streams: what is before the cut is finished and drawn for good, what is behind it is redrawn
 * until it is finished too. Pure.
 */

export interface Cut {
  /** Characters that are finished. */
  readonly at: number
  /** The opening line of the code block that the cut is in. */
  readonly fence: string | undefined
}

export const START: Cut = { at: 0, fence: undefined }

/** Markdown that is drawn by itself. */
export interface Piece {
  readonly markdown: string
  /** An empty line stands above it. */
  readonly hasGap: boolean
  /** The code block began in an earlier piece, so its upper border is drawn already. */
  readonly isContinued: boolean
  /** The code block goes on in the next piece, so its lower border is not drawn yet. */
  readonly continues: boolean
}

/** An unfinished block of more characters is cut anyway: it would be redrawn with every delta. */
const MAX_OPEN_CHARS = 3000
/** Lines of a code block are finished in groups, so that not every line moves the whole screen. */
const CODE_GROUP_LINES = 8

/** The pieces that are finished behind the cut, and the new cut. */
export function finishedPieces(text: string, cut: Cut, isEnded: boolean): { pieces: Piece[]; cut: Cut } {
  const pieces: Piece[] = []
  let last = cut
  for (;;) {
    const next = isEnded && text.length - last.at <= MAX_OPEN_CHARS ? endOf(text, last) : nextCut(text, last)
    if (next === undefined) return { pieces, cut: last }
    const piece = pieceBetween(text, last, next)
    if (piece) pieces.push(piece)
    last = next
    if (isEnded && last.at >= text.length) return { pieces, cut: last }
  }
}

/** What is behind the cut, as it can be drawn now. */
export function openPiece(text: string, cut: Cut): Piece | undefined {
  return pieceBetween(text, cut, { at: text.length, fence: fenceAt(text, cut) })
}

function endOf(text: string, { at }: Cut): Cut | undefined {
  return at < text.length ? { at: text.length, fence: undefined } : undefined
}

/** After the next finished block, or where a long one is cut. */
function nextCut(text: string, { at, fence }: Cut): Cut | undefined {
  let open = fence
  let [position, lines, isAfterBlank] = [at, 0, false]
  let best: Cut | undefined
  for (;;) {
    const newline = text.indexOf('\n', position)
    const line = newline === -1 ? undefined : text.slice(position, newline)
    // Indented text behind an empty line belongs to the list above it.
    const first = text[position]
    if (isAfterBlank && first !== undefined && !/\s/.test(first)) return { at: position, fence: undefined }
    if (best) return best
    if (position - at > MAX_OPEN_CHARS || (line === undefined && text.length - at > MAX_OPEN_CHARS))
      return { at: forcedCut(text, at), fence: fenceAt(text.slice(0, forcedCut(text, at)), { at, fence }) }
    if (line === undefined) return undefined
    position = newline + 1
    lines++
    const wasOpen = open !== undefined
    open = fenceAfter(line, open)
    if (wasOpen && open === undefined) return { at: position, fence: undefined }
    if (open !== undefined && lines > CODE_GROUP_LINES) best = { at: position, fence: open }
    isAfterBlank = open === undefined && line.trim() === ''
  }
}

function forcedCut(text: string, at: number): number {
  const end = at + MAX_OPEN_CHARS
  const part = text.slice(at, end)
  const space = Math.max(part.lastIndexOf('\n'), part.lastIndexOf(' '))
  if (space > MAX_OPEN_CHARS / 2) return at + space + 1
  const isHalfPair = /[\ud800-\udbff]$/.test(part)
  return isHalfPair ? end - 1 : end
}

function pieceBetween(text: string, from: Cut, to: Cut): Piece | undefined {
  const raw = text.slice(from.at, to.at)
  if (raw.trim() === '') return undefined
  const isContinued = from.fence !== undefined
  const continues = to.fence !== undefined
  const opening = isContinued ? `${from.fence}\n` : ''
  const closing = continues ? `\n${markerOf(to.fence!)}` : ''
  const markdown = copyOf(opening + (isContinued ? raw.replace(/\n$/, '') : raw.trimEnd()) + closing)
  const isAtLineStart = from.at === 0 || text[from.at - 1] === '\n'
  return { markdown, hasGap: !isContinued && isAtLineStart, isContinued, continues }
}

/** A part of a string keeps the whole string in memory; a piece is kept longer than the answer it was cut from. */
function copyOf(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le')
}

/** The code block that is open at the end of the text. */
function fenceAt(text: string, { at, fence }: Cut): string | undefined {
  let open = fence
  for (const line of text.slice(at).split('\n')) open = fenceAfter(line, open)
  return open
}

function fenceAfter(line: string, open: string | undefined): string | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)
  if (!mark) return open
  if (open === undefined) return mark[1]!.startsWith('`') && mark[2]!.includes('`') ? undefined : line
  const isClosing = mark[1]!.startsWith(markerOf(open)) && mark[2]!.trim() === ''
  return isClosing ? undefined : open
}

function markerOf(fence: string): string {
  return /`{3,}|~{3,}/.exec(fence)![0]
}
