import type { Message } from './message.ts'

/** A short fingerprint of what a message says: enough to know our own line in a mailbox file again. Not a signature. */
export function contentHash({ type, from, content }: Pick<Message, 'type' | 'from' | 'content'>): string {
  return fnv(`${type}\n${from}\n${content}`)
}

/** FNV-1a and the length; pure, so that `team/` needs nothing of Node, and cheap, since every process folds all mail. */
function fnv(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return `${(hash >>> 0).toString(36)}.${text.length.toString(36)}`
}
