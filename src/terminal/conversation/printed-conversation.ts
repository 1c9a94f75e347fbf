import type { Entry } from '../../view/view.ts'
import { type Drawn, draw, EMPTY, paint } from '../drawing/drawn.ts'
import type { Block } from '../drawing/scrollback-tui.ts'
import {
  attachmentLine,
  callLines,
  inputLines,
  noteLines,
  pieceLines,
  runningCallLines,
  thinkingLine,
} from './entry-lines.ts'
import { type Cut, finishedPieces, openPiece, START } from './markdown-pieces.ts'

type TextEntry = Extract<Entry, { kind: 'text' | 'thinking' }>

/** Remembers which entries of a conversation were printed, so that each is printed once, when it does not change any more. */
export class PrintedConversation {
  readonly #printed = new WeakSet<Entry>()
  /** How much of each streaming answer was printed, in the order they began. */
  readonly #streams = new Map<TextEntry, Cut>()
  readonly #canOpen: boolean

  /** @param canOpen whether a key opens a call: plain lines have no keys. */
  constructor(canOpen = true) {
    this.#canOpen = canOpen
  }

  /** What became final since the last call. */
  takeFinished(entries: readonly Entry[]): Block[] {
    const blocks: Block[] = []
    for (const entry of entries) {
      if (this.#printed.has(entry)) continue
      if (entry.kind === 'text') blocks.push(...this.#textBlocks(entry, entries))
      else if (isFinal(entry)) {
        this.#printed.add(entry)
        blocks.push({ lines: (columns) => finalLines(entry, columns, this.#canOpen) })
      }
    }
    for (const entry of this.#streams.keys()) if (!entries.includes(entry)) this.#streams.delete(entry)
    return blocks
  }

  /** What may still change: the end of the answer that streams, and calls that run. */
  openLines(entries: readonly Entry[], now: number, columns: number): Drawn[] {
    return entries.flatMap((entry) => {
      if (this.#printed.has(entry)) return []
      if (entry.kind === 'tool') return runningCallLines(entry, now, columns)
      if (entry.kind === 'thinking') return [thinkingLine(entry.text, columns)]
      if (entry.kind !== 'text') return []
      const piece = openPiece(entry.text, this.#streams.get(entry) ?? START)
      return piece ? pieceLines(piece, columns) : []
    })
  }

  #textBlocks(entry: TextEntry, entries: readonly Entry[]): Block[] {
    if (entry.isStreaming) {
      const { pieces, cut } = finishedPieces(entry.text, this.#streams.get(entry) ?? START, false)
      this.#streams.set(entry, cut)
      return pieces.map(blockOf)
    }
    this.#printed.add(entry)
    const streamed = this.#streams.has(entry) ? entry : this.#replaced(entries)
    const cut = (streamed && this.#streams.get(streamed)) ?? START
    if (streamed) this.#streams.delete(streamed)
    // A provider may break off and begin again; then the answer differs from what was printed of it.
    const isSame = streamed === undefined || entry.text.startsWith(streamed.text.slice(0, cut.at))
    const { pieces } = finishedPieces(entry.text, isSame ? cut : START, true)
    return isSame ? pieces.map(blockOf) : [BEGAN_AGAIN, ...pieces.map(blockOf)]
  }

  /** The whole answer takes the place of the entry that streamed. */
  #replaced(entries: readonly Entry[]): TextEntry | undefined {
    return [...this.#streams.keys()].find((streamed) => !entries.includes(streamed))
  }
}

const BEGAN_AGAIN: Block = { lines: () => [EMPTY, paint.dim(draw`· The answer began again:`)] }

function blockOf(piece: Parameters<typeof pieceLines>[0]): Block {
  return { lines: (columns) => pieceLines(piece, columns) }
}

function isFinal(entry: Exclude<Entry, { kind: 'text' }>): boolean {
  if (entry.kind === 'tool') return entry.endedAt !== undefined
  return !('isStreaming' in entry) || !entry.isStreaming
}

function finalLines(entry: Entry, columns: number, canOpen: boolean): Drawn[] {
  switch (entry.kind) {
    case 'input':
      return inputLines(entry, columns)
    case 'note':
      return noteLines(entry.text, columns)
    case 'attachment':
      return [attachmentLine(entry, columns)]
    case 'tool':
      return callLines(entry, columns, canOpen)
    default:
      return []
  }
}
