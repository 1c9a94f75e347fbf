import { estimateTokenCount } from 'tokenx'
import type { Turn } from '../../models/model.ts'
import type { TranscriptState } from '../transcript/transcript-fold.ts'
import { estimateTokens } from './estimate-tokens.ts'

/** What a request holds besides the turns. */
export interface Preface {
  readonly system: string
  readonly tools: readonly unknown[]
}

/**
 * How many tokens the next request has: what the provider counted when it last answered, and an estimate of what came
 * since. `enough`: below it the exact size does not matter, and nothing is estimated.
 */
export function weigh(state: Pick<TranscriptState, 'turns' | 'counted'>, preface: Preface, enough = 0): number {
  const { turns, counted } = state
  const since = counted?.turns ?? 0
  let characters = counted ? 0 : preface.system.length + offered(preface).length
  for (let at = since; at < turns.length; at++) characters += lengthOf(turns[at]!)
  // No text has more tokens than characters.
  const atMost = (counted?.tokens ?? 0) + characters
  if (atMost <= enough) return atMost
  let tokens = counted?.tokens ?? prefaceTokens(preface)
  for (let at = since; at < turns.length; at++) tokens += turnTokens(turns[at]!)
  return tokens
}

/** Estimated once: a turn never changes. */
export function turnTokens(turn: Turn): number {
  let tokens = known.get(turn)
  if (tokens === undefined) {
    tokens = pieces(turn).reduce((sum, piece) => sum + (piece === PICTURE ? PICTURE_TOKENS : tokensIn(piece)), 4)
    known.set(turn, tokens)
  }
  return tokens
}

/** The larger of two estimates: one knows languages, the other what is no language. The first is slow on long texts. */
export function tokensIn(text: string): number {
  const tokens = estimateTokens(text)
  return text === '' || text.length > LONG_TEXT ? tokens : Math.max(tokens, estimateTokenCount(text))
}

/** Characters. */
const LONG_TEXT = 100_000

const known = new WeakMap<Turn, number>()

export function prefaceTokens(preface: Preface): number {
  return tokensIn(preface.system) + tokensIn(offered(preface))
}

function offered({ tools }: Preface): string {
  let text = written.get(tools)
  if (text === undefined) {
    text = JSON.stringify(tools)
    written.set(tools, text)
  }
  return text
}

const written = new WeakMap<readonly unknown[], string>()

function lengthOf(turn: Turn): number {
  return pieces(turn).reduce((sum, piece) => sum + (piece === PICTURE ? PICTURE_TOKENS : piece.length), 0)
}

/** Providers scale pictures down; this is what the largest of them costs where that is written down. */
export const PICTURE_TOKENS = 1600
const PICTURE = Symbol('picture')

function pieces(turn: Turn): (string | typeof PICTURE)[] {
  return turn.content.flatMap((part): (string | typeof PICTURE)[] => {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return [part.text]
      case 'tool-call':
        return [part.toolName, JSON.stringify(part.input) ?? '']
      case 'tool-result':
        return outputPieces(part.output)
      case 'file':
        return [PICTURE]
      default:
        return []
    }
  })
}

type Output = Extract<Extract<Turn, { role: 'tool' }>['content'][number], { type: 'tool-result' }>['output']

function outputPieces(output: Output): (string | typeof PICTURE)[] {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return [output.value]
    case 'content':
      return output.value.map((piece) => (piece.type === 'text' ? piece.text : PICTURE))
    case 'execution-denied':
      return [output.reason ?? '']
    default:
      return [JSON.stringify(output.value) ?? '']
  }
}
