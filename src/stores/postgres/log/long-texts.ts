import type { LogRecord } from '../../../journal/log/store.ts'
import type { Json } from '../../../team/data/json.ts'

/** Longer texts are kept once, beside the records, and fetched by the reader that wants them. */
const MAX_INLINE_BYTES = 8 * 1024
/** Ordinary texts do not contain it. */
const NUL = '\0'
const PREFIX = `${NUL}aside:`
const PREFIX_IN_JSON = JSON.stringify(PREFIX).slice(1, -1)
const REFERENCE = new RegExp(`${PREFIX}([^${NUL}]*):(\\d+):(\\d+)${NUL}`, 'g')

/** A record with references in place of its long texts; reference n stands for `texts[n - 1]`. */
export interface ExtractedTexts {
  readonly record: LogRecord
  readonly texts: readonly string[]
}

/**
 * Replaces long texts by references. A text that could be taken for a reference is replaced too, however short it is, so
 * every reference in the database was written here. `id`, `after` and `needs` stay: the store reads them.
 */
export function extractLongTexts(record: LogRecord): ExtractedTexts {
  const texts: string[] = []
  const replaced = replaceTexts(record as unknown as Json, (text) => {
    if (!isLong(text) && !text.includes(PREFIX)) return text
    texts.push(text)
    return `${PREFIX}${record.id}:${texts.length}:${text.length}${NUL}`
  }) as unknown as LogRecord
  if (texts.length === 0) return { record, texts }
  const { id, after, needs } = record
  return { record: { ...replaced, id, ...(after !== undefined && { after }), ...(needs && { needs }) }, texts }
}

/** False: the record with this JSON holds no long text and nothing like a reference. */
export function mayHoldLongText(json: string): boolean {
  return isLong(json) || json.includes(PREFIX_IN_JSON)
}

/** Which text a reference stands for. */
export interface TextReference {
  readonly id: string
  readonly part: number
  readonly length: number
}

/** Every reference in a value, once. */
export function referencesIn(value: Json): Map<string, TextReference> {
  const found = new Map<string, TextReference>()
  replaceTexts(value, (text) => {
    if (!text.includes(PREFIX)) return text
    for (const [reference, id = '', part, length] of text.matchAll(REFERENCE))
      found.set(reference, { id, part: Number(part), length: Number(length) })
    return text
  })
  return found
}

/** The value with the texts in place of their references, also inside a longer text. */
export function insertTexts<T>(value: T, texts: ReadonlyMap<string, string>): T {
  const whole = (text: string) =>
    text.includes(PREFIX) ? text.replace(REFERENCE, (reference) => texts.get(reference) ?? reference) : text
  return replaceTexts(value as Json, whole) as T
}

function isLong(text: string): boolean {
  return (
    text.length > MAX_INLINE_BYTES || (text.length * 3 > MAX_INLINE_BYTES && Buffer.byteLength(text) > MAX_INLINE_BYTES)
  )
}

/** Returns the same object where no text changes, so most values are not copied. */
function replaceTexts(value: Json | undefined, change: (text: string) => string): Json | undefined {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    let copy: (Json | undefined)[] | undefined
    for (const [i, item] of value.entries()) {
      const changed = replaceTexts(item, change)
      if (changed !== item) copy ??= [...value]
      if (copy) copy[i] = changed
    }
    return (copy ?? value) as Json
  }
  let isChanged = false
  const entries = Object.entries(value).map(([key, item]) => {
    const changed = replaceTexts(item, change)
    isChanged ||= changed !== item
    return [key, changed] as const
  })
  return isChanged ? Object.fromEntries(entries) : value
}
