import { assignedSecrets } from './assignments.ts'
import { secretsInContext } from './contexts.ts'
import { FORMATS } from './formats.ts'
import { longWords } from './long-words.ts'
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
  longWords(text, SHORTEST_FORMAT, (start, end) => {
    const word = text.slice(start, end)
    if (!START.test(word)) return
    KNOWN.lastIndex = 0
    for (let known = KNOWN.exec(word); known; known = KNOWN.exec(word))
      spans.push({ start: start + known.index, end: start + KNOWN.lastIndex })
  })
  spans.push(...secretsInContext(text), ...assignedSecrets(text))
  return { spans: merged(spans), openFrom: keys.openFrom }
}

/** No format is shorter, and most words are. */
const SHORTEST_FORMAT = 16
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

const NAME = '(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?'
const BEGIN = new RegExp(
  `-----BEGIN ${NAME}-----|---- BEGIN SSH2 [A-Z ]{0,20}PRIVATE KEY ----|Private-Lines: \\d{1,3}`,
  'g',
)
const END = new RegExp(
  `-----END ${NAME}-----|---- END SSH2 [A-Z ]{0,20}PRIVATE KEY ----|Private-MAC: [0-9a-f]{40,64}`,
  'y',
)
/** Also as JSON, indented, quoted, in a diff or with line numbers. */
const isBody = bodyTable()
/** More than any key, encrypted or with comments, has. */
const LONGEST = 64 * 1024
/** What follows the first line of a key whose end is missing. */
const LINES = /(?:\s|\\[nrt])*(?:[A-Za-z0-9+/=]{16,}(?:\s|\\[nrt]|\d{1,6}(?=\s|\\t))*)+/y
const BEGINNING = /-{1,5}(?: ?B(?:E(?:G(?:I(?:N(?: [A-Z0-9 ]{0,60}-{0,5})?)?)?)?)?)?$|Private-Lines?:? ?\d{0,3}$/

/** Private keys in PEM, SSH2 and PuTTY form, also those whose end is missing. Each character is looked at once. */
function privateKeys(text: string): Found {
  const spans: Span[] = []
  let openFrom = text.length
  BEGIN.lastIndex = 0
  for (let found = BEGIN.exec(text); found; found = BEGIN.exec(text)) {
    const start = found.index
    const body = start + found[0].length
    const { end, isWhole, isOpen } = bodyFrom(text, body, start + LONGEST)
    if (isOpen) openFrom = Math.min(openFrom, start)
    spans.push({ start, end: isWhole ? end : unended(text, body, end, start) })
    BEGIN.lastIndex = end
  }
  const beginning = BEGINNING.exec(text.slice(-100))
  if (beginning) openFrom = Math.min(openFrom, Math.max(0, text.length - 100) + beginning.index)
  return { spans: spans.filter(({ start, end }) => end > start), openFrom }
}

function bodyFrom(text: string, from: number, most: number) {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === DASH || code === CAPITAL_P) {
      END.lastIndex = at
      const ended = END.exec(text)
      if (ended) return { end: at + ended[0].length, isWhole: true, isOpen: false }
      BEGIN.lastIndex = at
      if (text.startsWith('-----BEGIN ', at) || text.startsWith('---- BEGIN ', at))
        return { end: at, isWhole: false, isOpen: false }
    }
    if (at >= most || !isBody[code]) return { end: at, isWhole: false, isOpen: false }
  }
  return { end: text.length, isWhole: false, isOpen: text.length < most }
}

/** The lines of a key without an end; a header alone is not a secret. */
function unended(text: string, body: number, limit: number, start: number): number {
  LINES.lastIndex = body
  const lines = LINES.exec(text)
  return lines ? Math.min(limit, body + lines[0].length) : start
}

const DASH = 45
const CAPITAL_P = 80

function bodyTable(): boolean[] {
  const table: boolean[] = []
  for (let code = 0; code < 128; code++) table[code] = /[A-Za-z0-9+/=\s\\:,.()>|#*"'-]/.test(String.fromCharCode(code))
  return table
}
