import { assignedSecrets } from './assignments.ts'
import { secretsInContext } from './contexts.ts'
import { FORMATS } from './formats.ts'
import { privateKeys } from './private-key.ts'
import { merged, type Span } from './span.ts'

export interface Found {
  /** In order, none overlapping another. */
  readonly spans: readonly Span[]
  /** Where a secret may begin that continues behind the end; the text's length if there is none. */
  readonly openFrom: number
}

/** All secrets in a text: these values, known formats, private keys, and values behind the name of a secret. */
export function findSecrets(text: string, values: readonly string[], literal: RegExp | undefined): Found {
  const spans: Span[] = []
  if (literal) {
    for (const { index, 0: value } of text.matchAll(literal)) spans.push({ start: index, end: index + value.length })
    spans.push(...cutOff(text, values))
  }
  const keys = privateKeys(text)
  spans.push(...keys.spans)
  for (const { index, 0: word } of text.matchAll(LONG_WORD))
    if (START.test(word))
      for (const known of word.matchAll(KNOWN))
        spans.push({ start: index + known.index, end: index + known.index + known[0].length })
  spans.push(...secretsInContext(text), ...assignedSecrets(text))
  return { spans: merged(spans), openFrom: keys.openFrom }
}

/** No format is shorter, and most words are. */
const LONG_WORD = /[^\s"'`<>\p{Cc}]{16,}/gu
/** Behind a letter or digit nothing begins, unless that ends an escape of JSON, of an address or a colour. */
const EDGE = '(?:(?<![A-Za-z0-9])|(?<=\\\\[bfnrt]|\\\\u[0-9a-fA-F]{4}|%[0-9A-Fa-f]{2}|\\[[\\d;]{0,20}m))'
const KNOWN = new RegExp(`${EDGE}(?:${FORMATS.map(({ pattern }) => pattern).join('|')})`, 'g')
/** Each format has one of these near its beginning; a picture or a hash of any length has none. */
const START =
  /[-_:.=$~|]|AKI|ASI|ABIA|ACCA|ABSK|LTAI|AZDO|AIza|SCW|AQ|dapi|ATBB|ATATT|ATCTT|cio|oy2|AKCp|cmVm|SK|dG9rO|EAA|IGQ|AAAA|cflt|EZ|us\d|eyJ|GR13|\/\/|RWRTY0Iy|RWQAAEIy|S[ACNOU][A-Z2-7]{56}|[xyzt]prv/

/** A screen that cuts a line may have cut a value: what is left of it before the sign goes too. */
function cutOff(text: string, values: readonly string[]): Span[] {
  const spans: Span[] = []
  const longest = Math.max(...values.map(({ length }) => length))
  for (let sign = text.indexOf('…'); sign !== -1; sign = text.indexOf('…', sign + 1)) {
    const word = text.slice(Math.max(0, sign - longest), sign)
    const length = Math.max(...values.map((value) => sharedLength(word, value)))
    if (length >= 4) spans.push({ start: sign - length, end: sign })
  }
  return spans
}

/** How many letters at the end of the word are the beginning of the value. */
function sharedLength(word: string, value: string): number {
  for (let length = Math.min(value.length - 1, word.length); length >= 4; length--)
    if (word.endsWith(value.slice(0, length))) return length
  return 0
}
