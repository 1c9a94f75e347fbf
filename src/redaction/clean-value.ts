import { plainText } from './plain-text.ts'
import type { Redactor } from './redactor.ts'

/**
 * A value as it leaves the process as JSON: without secrets, as every other output, and without signs that do something on a
 * terminal. Line breaks and tabs stay.
 */
export function cleanValue<T>(value: T, redactor: Pick<Redactor, 'text'>): T {
  const json = JSON.stringify(value)
  const shown = redactor.text(json)
  // Names stand beside their values only in the JSON of the whole value, so that is where secrets are found.
  const safe = shown === json ? value : (parsed<T>(shown) ?? (mapTexts(value, redactor.text) as T))
  return SIGN.test(json) ? (mapTexts(safe, cleanText) as T) : safe
}

/** A part of a text, of which the redactor has taken care. */
export function cleanText(text: string): string {
  return plainText(text.replaceAll('\r\n', '\n'))
}

/** Controls as JSON writes them, and what JSON does not escape. */
const SIGN = /\\u|\\[bfr]|[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

/** Undefined if a secret reached over the end of a string, so that its replacement broke the JSON. */
function parsed<T>(json: string): T | undefined {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]))
}
