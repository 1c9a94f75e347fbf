import { charactersLeftOutText } from '../prompts/left-out.ts'
import { tokensIn } from './compaction/weigh.ts'

/** Keeps a text under a path that the agent can read; durable when it returns. */
export type Keep = (content: string, about: string) => string

/** The text if it has at most so many tokens, else its head, its tail and the path of all of it. */
export function fitText(text: string, tokens: number, keep: Keep, about: string): { text: string; path?: string } {
  // No text has fewer tokens than this; a long one is not estimated at all.
  if (text.length <= tokens * 20 && tokensIn(text) <= tokens) return { text }
  const path = keep(text, about)
  return { text: excerptOf(text, tokens, path), path }
}

/** Head and tail of at most so many tokens, and between them where all of it is. */
export function excerptOf(text: string, tokens: number, path: string): string {
  let half = Math.max(20, tokens * 2)
  let ends = endsOf(text, half)
  while (half > 20 && tokensIn(ends.head) + tokensIn(ends.tail) > tokens) {
    half = Math.floor(half / 2)
    ends = endsOf(text, half)
  }
  const left = text.length - ends.head.length - ends.tail.length
  return `${ends.head}\n\n${charactersLeftOutText(left, text.length, path)}\n\n${ends.tail}`
}

/** Never half of a character. */
function endsOf(text: string, length: number): { head: string; tail: string } {
  const head = text.slice(0, length)
  const tail = text.slice(Math.max(length, text.length - length))
  return { head: head.replace(/[\ud800-\udbff]$/, ''), tail: tail.replace(/^[\udc00-\udfff]/, '') }
}
