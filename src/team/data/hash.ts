import type { Message } from '../message.ts'

/** What a message says, in one number: a hash, and above its 32 bits the length. */
export type Fingerprint = number

const HASH = 2 ** 32
const LONGEST = 2 ** 21 - 1

/** Enough to know our own line in a mailbox file again. Not a signature. */
export function contentHash({ type, from, content }: Pick<Message, 'type' | 'from' | 'content'>): Fingerprint {
  // As if the three stood in one text, line by line, without building that text.
  const hash = fnv(content, fnv('\n', fnv(from, fnv('\n', fnv(type, 0x811c9dc5)))))
  return fingerprint(hash >>> 0, type.length + from.length + content.length + 2)
}

/** How a snapshot writes it down. */
export function fingerprintText(value: Fingerprint): string {
  return `${(value % HASH).toString(36)}.${Math.floor(value / HASH).toString(36)}`
}

export function readFingerprint(text: string): Fingerprint {
  const [hash = '', length = ''] = text.split('.')
  return fingerprint(Number.parseInt(hash, 36), Number.parseInt(length, 36))
}

function fingerprint(hash: number, length: number): Fingerprint {
  return Math.min(length, LONGEST) * HASH + hash
}

/** FNV-1a; pure, so that `team/` needs nothing of Node, and cheap, since every process folds all mail. */
function fnv(text: string, start: number): number {
  let hash = start
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
