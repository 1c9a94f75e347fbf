import type { ContentBlock } from '@agentclientprotocol/sdk'
import { isCutShort } from '../../agent/transcript/transcript-fold.ts'
import type { Turn, UserTurn } from '../../models/model.ts'

type Part = UserTurn['content'][number]

/** Everything that was ever said to the agent, in order. The list only grows: its conversation is not shortened by us. */
export function userParts(turns: readonly Turn[]): Part[] {
  return turns.flatMap((turn) => (turn.role === 'user' ? turn.content : []))
}

/** How many of them the agent has answered: those before its last answer without a call, which ended its turn. */
export function answeredParts(turns: readonly Turn[]): number {
  const last = turns.findLastIndex(
    (turn) => turn.role === 'assistant' && !isCutShort(turn) && turn.content.every(({ type }) => type !== 'tool-call'),
  )
  return userParts(turns.slice(0, last + 1)).length
}

/** As the protocol sends them. A program that takes no pictures is told that one was left out. */
export function promptBlocks(parts: readonly Part[], takesImages: boolean): ContentBlock[] {
  return parts.map((part): ContentBlock => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const { mediaType, data } = part
    if (!takesImages || !mediaType.startsWith('image/') || data instanceof URL)
      return { type: 'text', text: `[a file of type ${mediaType} is left out]` }
    const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64')
    return { type: 'image', data: base64, mimeType: mediaType }
  })
}

/** So much of the end of a conversation is told to a program that lost it. */
const RECAP_CHARACTERS = 6_000

/** The last words on both sides, for a program that does not have the conversation any more. */
export function recentWords(turns: readonly Turn[]): string {
  const lines = turns.flatMap((turn) => {
    const texts = turn.role === 'tool' ? [] : turn.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    const text = texts.join('\n').trim()
    return text === '' ? [] : [`${turn.role === 'user' ? 'To you' : 'You'}: ${text}`]
  })
  const all = lines.join('\n')
  return all.length <= RECAP_CHARACTERS ? all : `…${all.slice(-RECAP_CHARACTERS)}`
}
