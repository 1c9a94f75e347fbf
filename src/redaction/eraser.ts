import { literalPattern, secretValues } from './secret-values.ts'
import { GONE } from './span.ts'

/**
 * Removes the values of this process's secret variables from what is stored on disk and sent to models: conversations,
 * messages, tasks, outputs. Only these values: a key in a file that an agent edits has to stay what it is.
 */
export interface Eraser {
  text(text: string): string
  bytes(content: Uint8Array): Uint8Array
  /** Bytes that come in pieces, cut anywhere. */
  stream(): ErasingStream
  /** Every string in a value, but for names, ids and pictures. */
  value<T>(value: T): T
}

export interface ErasingStream {
  write(piece: Uint8Array): Uint8Array
  end(): Uint8Array
}

/** Undefined where there is nothing to erase. `more` are further values, such as those of variables the settings name. */
export function createEraser(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): Eraser | undefined {
  const values = [...new Set([...secretValues(env), ...more.filter((value) => value.length >= 6)])]
  if (values.length === 0) return undefined
  values.sort((a, b) => b.length - a.length)
  const literal = literalPattern(values)
  // One character for each byte, so that a piece may end anywhere.
  const binary = values.map((value) => Buffer.from(value).toString('latin1'))
  const binaryLiteral = literalPattern(binary)
  const longest = Math.max(...binary.map(({ length }) => length))

  const text = (whole: string) => whole.replace(literal, GONE)
  return {
    text,
    bytes: (content) => fromBinary(toBinary(content).replace(binaryLiteral, GONE)),
    stream() {
      let held = ''
      return {
        write(piece) {
          held += toBinary(piece)
          const cut = safeCut(held)
          const safe = held.slice(0, cut).replace(binaryLiteral, GONE)
          held = held.slice(cut)
          return fromBinary(safe)
        },
        end() {
          const rest = held.replace(binaryLiteral, GONE)
          held = ''
          return fromBinary(rest)
        },
      }
    },
    value: <T>(value: T) => erased(value, text) as T,
  }

  /** Before whatever may be the beginning of a value, and not inside of one. */
  function safeCut(held: string): number {
    let cut = held.length
    for (let at = Math.max(0, held.length - longest + 1); at < held.length; at++) {
      const rest = held.slice(at)
      if (binary.some((value) => value.length > rest.length && value.startsWith(rest))) {
        cut = at
        break
      }
    }
    for (const { index, 0: value } of held.matchAll(binaryLiteral))
      if (index < cut && index + value.length > cut) return index
    return cut
  }
}

/** Keys whose values are not prose: names, ids, kinds, pictures, and what a provider signed. */
const NO_TEXT = new Set(
  `id ids type role kind status state name from to member members recipient team owner assignee taskId blockedBy after
   toolCallId toolName call tool data mediaType providerOptions turn take taker generation model provider`.split(/\s+/),
)

function erased(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value))
    return changed(
      value,
      value.map((item) => erased(item, text)),
    )
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    NO_TEXT.has(key) && !isNested(item) ? item : erased(item, text),
  ])
  const whole = Object.fromEntries(entries) as Record<string, unknown>
  const isSame = Object.entries(value).every(([key, item]) => whole[key] === item)
  if (isSame) return value
  // A provider signs the reasoning of its model; the signature of changed reasoning is invalid.
  if (whole.type === 'reasoning') delete whole.providerOptions
  return whole
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
}

function changed<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  return after.every((item, i) => item === before[i]) ? before : after
}

function toBinary(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

function fromBinary(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}
