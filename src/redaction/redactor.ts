import { findSecrets } from './find-secrets.ts'
import { literalPattern, secretValues } from './secret-values.ts'
import { type Span, without } from './span.ts'

/**
 * Takes secrets out of text where it leaves the process, and before conversations, messages and outputs are kept on disk.
 * It costs time in proportion to the text, whatever the text is.
 */
export interface Redactor {
  /** A whole text. */
  text(text: string): string
  /** For a text that comes in pieces, split anywhere. Returns what `text` would return for the whole. */
  stream(): RedactingStream
}

export interface RedactingStream {
  /** What can be shown by now: all but what may be the beginning of a secret. */
  write(piece: string): string
  /** The rest. */
  end(): string
}

/** Known formats, and every value of a secret variable; `more` are further values in any format. */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): Redactor {
  const values = [...secretValues(env), ...more].sort((a, b) => b.length - a.length)
  const literal = values.length > 0 ? literalPattern(values) : undefined
  // These are not delayed as words are.
  const spaced = values.filter((value) => /\s/.test(value))

  function text(whole: string): string {
    if (whole.length < SHORTEST) return whole
    const { spans } = findSecrets(whole, values, literal)
    return spans.length === 0 ? whole : without(whole, spans)
  }

  function stream(): RedactingStream {
    // Shown text is kept for a while: it decides whether the words behind it are secret.
    let buffer = ''
    let shown = 0
    let lookAt = 0
    return {
      write(piece) {
        const isInWord = buffer.length > shown
        buffer += piece
        const held = buffer.length - shown
        // In the middle of a word nothing is decided.
        if (isInWord && !SPACE.test(piece) && held < LONGEST_WORD) return ''
        // What is held for long is looked at again only when it has grown by a part of itself, not at each piece.
        if (held < lookAt) return ''
        const { cut, spans } = safeCut()
        lookAt = cut > shown || held < 64 ? 0 : held + Math.max(24, held / 4)
        if (cut <= shown) return ''
        const safe = without(buffer, spans, shown, cut)
        const kept = contextStart(buffer, cut)
        buffer = buffer.slice(kept)
        shown = cut - kept
        return safe
      },
      end() {
        const { spans } = scan(buffer.length)
        const rest = without(buffer, spans, shown)
        buffer = ''
        shown = 0
        return rest
      },
    }

    function scan(from: number) {
      const isSuspect = from > shown || SUSPECT.test(buffer.slice(shown)) || (literal && buffer.search(literal) !== -1)
      return isSuspect || spaced.length > 0
        ? findSecrets(buffer, values, literal)
        : { spans: [] as readonly Span[], openFrom: buffer.length }
    }

    /** Up to here no secret is cut in two, whatever comes next. */
    function safeCut(): { cut: number; spans: readonly Span[] } {
      const { spans, openFrom } = scan(shown)
      let cut = wordStart(buffer, buffer.length)
      if (buffer.length - Math.max(cut, shown) >= LONGEST_WORD) cut = buffer.length - LONGEST_WORD / 2
      else cut = openerBefore(buffer, Math.max(cut, shown), shown)
      cut = Math.min(cut, openFrom)
      for (const value of spaced) cut = Math.min(cut, overlap(buffer, value))
      for (const { start, end } of spans) if (start < cut && end > cut) cut = start
      return { cut, spans }
    }
  }

  return { text, stream }
}

const SHORTEST = 4
/** Without one of these a few words contain no secret, unless they are one of the values. */
const SUSPECT =
  /[:=@]|\S{16}|--|(?<!\S)-[A-Za-z]|…|passw|authoriz|bearer|basic|cookie|secret|token|key|credential|private/i
const SPACE = /\s/
const LONGEST_WORD = 16 * 1024
/** How much of what was shown is kept. */
const CONTEXT = 400

/** Words that may be followed by a secret on the same line, so many words later at most. */
const OPENER =
  /authorization|bearer|basic|cookie|passw|secret|token|key|credential|passphrase|digest|negotiate|login|account|_(?:pass|pat|pwd|pw|auth|jwt|dsn|creds?)\\*["']?[:=]?|pwd|^-{1,2}(?:\w{0,4}[uUpa]$|\w*(?:user|pass|pat\b|auth))|[:=]\\*["']?$|^\\*["']?[:=]/i
const WORDS_BEHIND = 8

/** The earliest word before this place that may still be followed by a secret; the place itself if there is none. */
function openerBefore(text: string, place: number, least: number): number {
  let cut = place
  let at = place
  for (let words = 0; words < WORDS_BEHIND && at > least; words++) {
    let end = at
    while (end > least && isBlank(text.charCodeAt(end - 1))) end--
    // A line ends it.
    if (end > 0 && isLineEnd(text.charCodeAt(end - 1))) break
    const start = Math.max(least, wordStart(text, end))
    if (start === end) break
    if (OPENER.test(text.slice(Math.max(start, end - 200), end))) cut = start
    at = start
  }
  // Indentation belongs to the line that begins with it.
  while (cut < place && cut > least && isBlank(text.charCodeAt(cut - 1))) cut--
  return cut
}

function wordStart(text: string, end: number): number {
  let start = end
  while (start > 0 && !isBlank(text.charCodeAt(start - 1)) && !isLineEnd(text.charCodeAt(start - 1))) start--
  return start
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 11 || code === 12
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13
}

/** Where a word or line begins that is near enough to matter. */
function contextStart(text: string, cut: number): number {
  if (cut <= CONTEXT) return 0
  const from = cut - CONTEXT
  const space = text.slice(from, cut).search(/\s/)
  return space === -1 ? from : from + space
}

/** Where the text ends with the beginning of this value; its length if it does not. */
function overlap(text: string, value: string): number {
  for (let length = Math.min(value.length - 1, text.length); length > 0; length--)
    if (text.endsWith(value.slice(0, length))) return text.length - length
  return text.length
}
