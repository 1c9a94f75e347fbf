import { plainText } from '../../redaction/plain-text.ts'

/** Text of a server that may be long and may hold anything: bounded, and harmless on a terminal and in a log. */
export function bounded(text: unknown, length: number): string {
  const plain = plainText(typeof text === 'string' ? text.slice(0, length + 1) : '')
  return plain.length > length ? `${plain.slice(0, length - 1)}…` : plain
}

/** The same in one line. */
export function boundedLine(text: unknown, length: number): string {
  return bounded(text, length).replace(/\s+/g, ' ').trim()
}
