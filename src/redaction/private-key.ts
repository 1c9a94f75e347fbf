import type { Span } from './span.ts'

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

export interface Keys {
  readonly spans: readonly Span[]
  /** Where a key begins that may continue behind the end of the text; the text's length if there is none. */
  readonly openFrom: number
}

/** Private keys in PEM, SSH2 and PuTTY form, also those whose end is missing. Each character is looked at once. */
export function privateKeys(text: string): Keys {
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
