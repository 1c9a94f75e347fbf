import type { Message } from './message.ts'

/** A short fingerprint of what a message says: enough to know our own line in a mailbox file again. Not a signature. */
export function contentHash({ type, from, content }: Pick<Message, 'type' | 'from' | 'content'>): string {
  return fnv(`${type}\n${from}\n${content}`)
}

/** FNV-1a in two lanes, 64 bits; pure, so that `team/` needs nothing of Node. */
function fnv(text: string): string {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (b >>> 13)
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0')
}
