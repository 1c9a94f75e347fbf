import type { LogRecord } from '../../../journal/store.ts'
import type { Json } from '../../../team/json.ts'

/** Longer texts are kept once, beside the records, and fetched by whoever wants to see them, in bytes. */
const LONG = 8 * 1024
/** Stands where no sensible text has it. */
const NUL = '\0'
const PREFIX = `${NUL}aside:`
const PREFIX_IN_JSON = JSON.stringify(PREFIX).slice(1, -1)
const TICKET = new RegExp(`${PREFIX}([^${NUL}]*):(\\d+):(\\d+)${NUL}`, 'g')

/** A record whose long texts were put aside; their tickets stand where they stood, `texts[n - 1]` belongs to ticket n. */
export interface SetAside {
  readonly record: LogRecord
  readonly texts: readonly string[]
}

/**
 * A text that holds what could be taken for a ticket is put aside however short it is, so a ticket is always one of
 * ours. What the store itself goes by stays.
 */
export function setAside(record: LogRecord): SetAside {
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

/** False: a record that is this as JSON is too short for a long text and holds nothing like a ticket. */
export function mayHaveToSetAside(json: string): boolean {
  return isLong(json) || json.includes(PREFIX_IN_JSON)
}

/** What a ticket stands for. */
export interface Wanted {
  readonly id: string
  readonly part: number
  readonly length: number
}

/** Every ticket in a value, once. */
export function ticketsIn(value: Json): Map<string, Wanted> {
  const found = new Map<string, Wanted>()
  replaceTexts(value, (text) => {
    if (!text.includes(PREFIX)) return text
    for (const [ticket, id = '', part, length] of text.matchAll(TICKET))
      found.set(ticket, { id, part: Number(part), length: Number(length) })
    return text
  })
  return found
}

/** The value with its tickets replaced, also those that stand inside a longer text. */
export function redeem<T>(value: T, texts: ReadonlyMap<string, string>): T {
  const whole = (text: string) =>
    text.includes(PREFIX) ? text.replace(TICKET, (ticket) => texts.get(ticket) ?? ticket) : text
  return replaceTexts(value as Json, whole) as T
}

function isLong(text: string): boolean {
  return text.length > LONG || (text.length * 3 > LONG && Buffer.byteLength(text) > LONG)
}

/** The same value where no text changes, so that most values are not copied. */
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
