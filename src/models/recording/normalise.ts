import type { ModelRequest, Turn } from '../model.ts'

/** A turn as a recording stores it, without what differs from run to run. */
export type NormalTurn = unknown

export interface NormalRequest {
  readonly system: string
  readonly tools: readonly string[]
  readonly turns: readonly NormalTurn[]
}

/**
 * Makes requests of two runs comparable. Call ids are numbered as they appear in the conversation of one agent, so every
 * agent needs its own normaliser. Normalised turns are cached.
 */
export function createNormaliser(root: string | undefined) {
  const calls = new Map<string, string>()
  const done = new WeakMap<Turn, NormalTurn>()

  function text(value: string): string {
    const placed = root === undefined ? value : value.replaceAll(root, '<root>')
    return patterns.reduce((result, [pattern, name]) => result.replace(pattern, name), placed)
  }

  function callId(id: string): string {
    let number = calls.get(id)
    if (number === undefined) {
      number = `call ${calls.size + 1}`
      calls.set(id, number)
    }
    return number
  }

  function normal(value: unknown): unknown {
    if (typeof value === 'string') return text(value)
    if (value instanceof URL) return text(value.href)
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
    if (Array.isArray(value)) return value.map(normal)
    if (typeof value !== 'object' || value === null) return value
    const result: Record<string, unknown> = {}
    // `providerOptions` contains signatures and ids of the provider.
    for (const [key, inner] of Object.entries(value))
      if (key === 'toolCallId') result[key] = callId(String(inner))
      else if (key !== 'providerOptions' && inner !== undefined) result[key] = normal(inner)
    return result
  }

  function turn(one: Turn): NormalTurn {
    let known = done.get(one)
    if (known === undefined) {
      known = normal(one)
      done.set(one, known)
    }
    return known
  }

  return ({ system, tools, turns }: ModelRequest): NormalRequest => ({
    system: text(system),
    tools: tools.map(({ name }) => name),
    turns: turns.map(turn),
  })
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, '<id>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [/\b1[5-9]\d{8}(\.\d+)?\b/g, '<time>'],
  [/\b\d+(\.\d+)? ?(ms|s|seconds?|minutes?)\b/g, '<while>'],
]
