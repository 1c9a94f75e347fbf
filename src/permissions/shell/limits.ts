/** Outside of quoted heredoc bodies, in characters. */
const MAX_CODE = 16 * 1024
/** With heredoc bodies; the kernel takes no longer argument than this either. */
const MAX_LINE = 128 * 1024
const MAX_NESTING = 50
/** The parser's time grows with the number of `{` times the length. */
const MAX_BRACES = 200

export interface FoundHeredoc {
  /** Where its delimiter stands in the code. */
  readonly pos: number
  readonly delimiter: string
}

/** A command line before it is parsed. */
export interface Scanned {
  /** The line without the bodies of quoted heredocs, in which nothing is read as code. */
  readonly code: string
  /** Every heredoc that was seen. The parser must find the same ones at the same places, or the cut was wrong. */
  readonly heredocs: readonly FoundHeredoc[]
  /** Why it is not to be parsed. */
  readonly tooMuch: string | undefined
}

/**
 * One pass over the text before the parser sees it, because the parser's own time grows with the square of some inputs.
 * It follows quotes and brackets only roughly: what it lets through is parsed and judged like any other line.
 */
export function scan(text: string): Scanned {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(text)) return refused('it holds control characters')
  if (text.length > MAX_LINE) return refused('it is too long to be read')
  const scanner = new Scanner(text)
  scanner.run()
  const { heredocs, deepest, hasOddBlank } = scanner
  const code = scanner.parts.join('')
  if (code.length > MAX_CODE) return refused('it is too long to be read')
  if (deepest > MAX_NESTING || count(code, '{') > MAX_BRACES) return refused('it is nested too deep')
  if (hasOddBlank) return refused('it holds blanks that cannot be told from others')
  return { code, heredocs, tooMuch: undefined }
}

function refused(tooMuch: string): Scanned {
  return { code: '', heredocs: [], tooMuch }
}

function count(text: string, sign: string): number {
  let found = 0
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) found++
  return found
}

/** Blanks to a shell in some locales, and to the eye; none to others. */
const ODD_BLANK = /[\u00a0\u1680\u2000-\u200c\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/

interface Pending extends FoundHeredoc {
  readonly isQuoted: boolean
  readonly isIndented: boolean
}

class Scanner {
  readonly parts: string[] = []
  readonly heredocs: FoundHeredoc[] = []
  deepest = 0
  hasOddBlank = false
  private at = 0
  /** Where the part that is not yet in `parts` begins. */
  private begin = 0
  private kept = 0
  /** What closes the quotes and brackets that are open. */
  private readonly open: string[] = []
  private pending: Pending[] = []
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  run(): void {
    while (this.at < this.text.length) {
      const sign = this.text[this.at++]!
      if (sign === '\\') this.at++
      else if (sign === '\n' && this.pending.length > 0) this.skipBodies()
      else if (sign === this.open.at(-1)) this.open.pop()
      else if (this.open.at(-1) === '"') this.readQuoted(sign)
      else this.readCode(sign)
    }
    this.keep(this.text.length)
  }

  private readQuoted(sign: string): void {
    const next = this.text[this.at]
    if (sign === '`') this.push('`')
    else if (sign === '$' && (next === '(' || next === '{')) {
      this.at++
      this.push(next === '(' ? ')' : '}')
    }
  }

  private readCode(sign: string): void {
    if (sign === "'") {
      const end = this.text.indexOf("'", this.at)
      this.at = end === -1 ? this.text.length : end + 1
    } else if (sign === '"' || sign === '`') this.push(sign)
    else if (sign === '(') this.push(')')
    else if (sign === '{') this.push('}')
    else if (sign === '#' && /^$|[\s;&|()]/.test(this.text[this.at - 2] ?? '')) {
      const end = this.text.indexOf('\n', this.at)
      this.at = end === -1 ? this.text.length : end
    } else if (sign === '<' && this.text[this.at] === '<') this.noteHeredoc()
    else if (ODD_BLANK.test(sign)) this.hasOddBlank = true
  }

  private push(closing: string): void {
    this.open.push(closing)
    this.deepest = Math.max(this.deepest, this.open.length)
  }

  private noteHeredoc(): void {
    if (this.text[this.at + 1] === '<') {
      this.at += 2
      return
    }
    const found = /^<(-?)[ \t]*(?:(['"])([\w.-]{1,60})\2|([\w.-]{1,60}))(?=[\s;&|)<>]|$)/.exec(
      this.text.slice(this.at, this.at + 80),
    )
    if (!found) return
    const [whole, dash, quote, quoted, bare] = found
    const isQuoted = quote !== undefined
    const length = isQuoted ? quoted!.length + 2 : bare!.length
    const pos = this.kept + this.at + whole.length - length - this.begin
    this.pending.push({ pos, delimiter: quoted ?? bare ?? '', isQuoted, isIndented: dash === '-' })
    this.at += whole.length
  }

  /** Leaves the bodies of quoted heredocs out of the code. */
  private skipBodies(): void {
    for (const { pos, delimiter, isQuoted, isIndented } of this.pending) {
      if (isQuoted) this.keep(this.at)
      while (this.at < this.text.length) {
        const end = this.text.indexOf('\n', this.at)
        const line = this.text.slice(this.at, end === -1 ? undefined : end)
        if (isEnd(line, delimiter, isIndented)) {
          if (isQuoted) this.begin = this.at
          this.at = end === -1 ? this.text.length : end + 1
          break
        }
        this.at = end === -1 ? this.text.length : end + 1
        // Without its end the body goes on to the end of the text, and so does what is left out.
        if (isQuoted) this.begin = this.at
      }
      this.heredocs.push({ pos, delimiter })
    }
    this.pending = []
  }

  private keep(end: number): void {
    this.parts.push(this.text.slice(this.begin, end))
    this.kept += end - this.begin
    this.begin = end
  }
}

function isEnd(line: string, delimiter: string, isIndented: boolean): boolean {
  return (isIndented ? line.replace(/^\t+/, '') : line) === delimiter
}
