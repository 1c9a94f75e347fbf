import { partsLeftOutText } from '../../prompts/left-out.ts'
import type { Memory } from '../agent.ts'
import { excerptOf } from '../fit-text.ts'
import type { Demoted, TranscriptState } from '../transcript/transcript-fold.ts'
import { tokensIn, turnTokens } from './weigh.ts'

/**
 * User turns of more than `most` tokens, each with head and tail of about `keep` tokens instead and all of it in a file;
 * undefined if there is none.
 */
export function cutTurns(
  { turns, counted }: Pick<TranscriptState, 'turns' | 'counted'>,
  most: number,
  keep: number,
  memory: Pick<Memory, 'keep'>,
): Demoted | undefined {
  let saved = 0
  const cut = turns.flatMap((turn, at) => {
    if (turn.role !== 'user' || turnTokens(turn) <= most) return []
    const texts = turn.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    const short = headAndTail(texts, keep, (all) => memory.keep(all, 'turn'))
    if (at < (counted?.turns ?? 0)) saved += turnTokens(turn) - short.reduce((sum, text) => sum + tokensIn(text), 4)
    return [{ turn: at, texts: short }]
  })
  return cut.length > 0 ? { results: [], turns: cut, saved: Math.max(0, saved) } : undefined
}

/** The first and the last of the texts as far as they fit, and between them where all of them are. */
function headAndTail(texts: readonly string[], tokens: number, keep: (all: string) => string): string[] {
  const path = keep(texts.join('\n\n'))
  const head = fitting(texts, tokens / 2)
  const tail = fitting([...texts.slice(head.length)].reverse(), tokens / 2).reverse()
  const left = texts.slice(head.length, texts.length - tail.length)
  const gap = left.length === 1 ? excerptOf(left[0]!, tokens / 2, path) : partsLeftOutText(left.length, path)
  return left.length === 0 ? [...head, ...tail] : [...head, gap, ...tail]
}

function fitting(texts: readonly string[], tokens: number): string[] {
  let left = tokens
  const end = texts.findIndex((text) => {
    left -= text.length > tokens * 20 ? tokens + 1 : tokensIn(text)
    return left < 0
  })
  return texts.slice(0, end === -1 ? texts.length : end)
}
