import { CONTEXTS } from './contexts.ts'
import { FORMATS } from './formats.ts'
import { keyAcross, openKey, PRIVATE_KEY } from './private-key.ts'
import { secretValues } from './secret-values.ts'

/** Takes secrets out of text on its way out of the process. Journals and transcripts keep what agents saw. */
export interface Redactor {
  /** A whole text. */
  text(text: string): string
  /** A text that comes in pieces, cut anywhere. */
  stream(): RedactingStream
}

export interface RedactingStream {
  /** What can be shown by now: all but what may be the beginning of a secret. */
  write(piece: string): string
  /** The rest. */
  end(): string
}

const GONE = '[redacted]'

/** Known formats, and every value of a secret variable. */
export function createRedactor(env: Readonly<Record<string, string | undefined>>): Redactor {
  const values = secretValues(env)
  const literal = values.length > 0 ? new RegExp(values.map(quoted).join('|'), 'g') : undefined
  // Those are not held back as words are.
  const spaced = values.filter((value) => /\s/.test(value))

  function text(whole: string): string {
    let clean = literal ? beheaded(whole.replace(literal, GONE), values) : whole
    if (clean.includes('-----BEGIN ')) clean = clean.replace(PRIVATE_KEY, GONE)
    clean = clean.replace(LONG_WORD, (word) => (START.test(word) ? word.replace(KNOWN, GONE) : word))
    if (!HINT.test(clean)) return clean
    for (const { pattern, isSecret } of CONTEXTS)
      clean = clean.replace(pattern, (all, before, value) => (isSecret?.(value) === false ? all : before + GONE))
    return clean
  }

  function stream(): RedactingStream {
    let held = ''
    return {
      write(piece) {
        if (__BUG__ === 'redact-per-chunk') return text(piece)
        const before = held.length
        held += piece
        // In the middle of a word nothing is decided, and nobody looks at what is held.
        if (before > 0 && !SPACE.test(piece) && held.length < LONGEST_WORD) return ''
        const cut = safeCut(held, spaced)
        if (cut === 0) return ''
        const safe = text(held.slice(0, cut))
        held = held.slice(cut)
        return safe
      },
      end() {
        const rest = text(held)
        held = ''
        return rest
      },
    }
  }

  return { text, stream }
}

/** No format is shorter, and most words are. */
const LONG_WORD = /[^\s"'`<>]{16,}/g
/** Behind a letter or digit nothing begins, unless that ends an escape of JSON or a colour. */
const EDGE = '(?:(?<![A-Za-z0-9])|(?<=\\\\[bfnrt])|(?<=\\[[\\d;]{0,20}m))'
const KNOWN = new RegExp(`${EDGE}(?:${FORMATS.map(({ pattern }) => pattern).join('|')})`, 'g')
/** Each format has one of these near its beginning; a picture or a hash of any length has none. */
const START =
  /[-_:.=$~|]|AKI|ASI|ABIA|ACCA|ABSK|LTAI|AZDO|AIza|SCW|AQ|dapi|ATBB|ATATT|ATCTT|cio|oy2|AKCp|cmVm|SK|dG9rO|EAA|IGQ|AAAA|cflt|EZ|us\d|eyJ|GR13|\/\//
/** Nothing of CONTEXTS is in a text without one of these. */
const HINT =
  /:\/\/[^\s/@]*@|authorization|bearer[ \t]|basic[ \t]|(?:passw|secret|token|key|credential|passphrase)[\w-]*\\*["']?[ \t]*[:=]/i
const SPACE = /\s/

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** A screen that cuts a line may have cut a value: what is left of it before the sign goes too. */
function beheaded(text: string, values: readonly string[]): string {
  if (!text.includes('…')) return text
  return text.replace(/(\S{4,400})…/g, (all, word: string) => {
    for (const value of values)
      for (let length = Math.min(value.length - 1, word.length); length >= 4; length--)
        if (word.endsWith(value.slice(0, length))) return `${word.slice(0, -length)}${GONE}…`
    return all
  })
}

/** Words that may be followed by a secret on the same line. */
const OPENER =
  /authorization|bearer|basic|passw|secret|token|key|credential|passphrase|apikey|digest|^\\*["']?[:=]\\*["']?$/i
const LONGEST_WORD = 16 * 1024

/** Up to here no secret is cut in two, whatever comes next. */
function safeCut(text: string, spaced: readonly string[]): number {
  let cut = wordStart(text, text.length)
  if (text.length - cut >= LONGEST_WORD) cut = insideWord(text, cut)
  // `Authorization: Basic …` is one secret; a line ends it.
  for (let words = 0; words < 4 && cut > 0; words++) {
    if (/[\n\r]/.test(text.charAt(cut - 1))) break
    const before = text.slice(0, cut).trimEnd().length
    if (/[\n\r]/.test(text.slice(before, cut))) break
    const start = wordStart(text, before)
    if (start === before || !OPENER.test(text.slice(start, before).slice(-200))) break
    cut = start
  }
  const key = openKey(text)
  if (key !== -1) cut = Math.min(cut, key)
  for (const value of spaced) cut = Math.min(cut, overlap(text, value))
  // Nor one that is whole: the last word may be its end.
  const block = keyAcross(text, cut)
  if (block !== -1) cut = block
  for (const value of spaced) {
    const at = text.lastIndexOf(value, cut - 1)
    if (at !== -1 && cut > at && cut < at + value.length) cut = at
  }
  return cut
}

function wordStart(text: string, end: number): number {
  let start = end
  while (start > 0 && !isSpace(text.charCodeAt(start - 1))) start--
  return start
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

/** A word without end (a picture) is let go but for its last part, at a place where nothing known goes on. */
function insideWord(text: string, from: number): number {
  const cut = text.length - LONGEST_WORD / 2
  for (const match of text.slice(from).matchAll(KNOWN)) {
    const start = from + match.index
    if (start < cut && start + match[0].length > cut) return start > from ? start : start + match[0].length
  }
  return cut
}

/** Where the text ends with the beginning of this value; its length if it does not. */
function overlap(text: string, value: string): number {
  for (let length = Math.min(value.length - 1, text.length); length > 0; length--)
    if (text.endsWith(value.slice(0, length))) return text.length - length
  return text.length
}
