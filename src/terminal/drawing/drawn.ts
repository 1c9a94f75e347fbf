import { createColors } from 'picocolors'
import { plainText } from '../../redaction/plain-text.ts'
import { columnsOf, cutToColumns } from './columns.ts'

/**
 * A line that may be drawn. There is no other way to the screen, and every text that is put into one is made harmless on
 * the way in: no escape sequence, no line break, no mark of direction, no flood of combining marks. Colours are ours.
 */
export class Drawn {
  /** With escape sequences for colours; ours only. */
  readonly ansi: string

  private constructor(ansi: string) {
    this.ansi = ansi
  }

  /** As a template: every text in it is made harmless, lines in it stay as they are. */
  static line(strings: TemplateStringsArray, ...parts: readonly (string | number | Drawn)[]): Drawn {
    const ansi = strings.map((own, i) => own + (i < parts.length ? harmless(parts[i]!) : ''))
    return new Drawn(ansi.join(''))
  }

  /** Paints a text or a line. */
  static painter(paint: (text: string) => string): (part: string | number | Drawn) => Drawn {
    return (part) => new Drawn(paint(harmless(part)))
  }

  /** A line of a component that was given harmless text only, and coloured it. */
  static ofComponent(line: string): Drawn {
    return new Drawn(line)
  }

  get columns(): number {
    return columnsOf(this.ansi)
  }

  /** As much of it as fits into so many columns; `…` where something was cut. */
  fit(columns: number): Drawn {
    if (this.columns <= columns) return this
    return columns < 1 ? EMPTY : new Drawn(`${cutToColumns(this.ansi, columns - 1)}\x1b[0m…`)
  }

  /** Exactly so many columns. */
  fill(columns: number): Drawn {
    const fitted = this.fit(columns)
    return new Drawn(fitted.ansi + ' '.repeat(Math.max(0, columns - fitted.columns)))
  }

  /** Without colours, for terminals that have none. */
  get bare(): string {
    return this.ansi.replace(SGR, '')
  }
}

export const draw = Drawn.line
export const EMPTY = draw``

const { red, green, yellow, blue, cyan, magenta, dim, bold, inverse } = createColors(true)
export const paint = {
  red: Drawn.painter(red),
  green: Drawn.painter(green),
  yellow: Drawn.painter(yellow),
  blue: Drawn.painter(blue),
  cyan: Drawn.painter(cyan),
  magenta: Drawn.painter(magenta),
  dim: Drawn.painter(dim),
  bold: Drawn.painter(bold),
  inverse: Drawn.painter(inverse),
}

/** `left` as far as it fits, `right` at the right edge. */
export function spread(left: Drawn, right: Drawn, columns: number): Drawn {
  const end = right.fit(columns)
  const leftColumns = columns - end.columns
  if (end.columns === 0) return left.fit(columns)
  return leftColumns < 2 ? end : draw`${left.fill(leftColumns - 1)} ${end}`
}

/** Longer lines are never seen whole; what is behind is not even measured. */
const MAX_LINE_CHARS = 20_000
const MAX_MARKS = 4

function harmless(part: string | number | Drawn): string {
  if (part instanceof Drawn) return part.ansi
  return harmlessText(String(part).slice(0, MAX_LINE_CHARS)).replace(/\s/g, ' ')
}

/** Text of others that keeps its line breaks and tabs; only for components that draw lines themselves. */
export function harmlessText(text: string): string {
  return plainText(text).replaceAll('\r\n', '\n').replace(INVISIBLE, '').replace(MARK_FLOOD, '$1').replace(ALONE, '')
}

/** Where a person decides about a text: signs that are not seen, and change what it means, are seen. */
export function withSeenSigns(text: string): string {
  return text.replace(INVISIBLE, '\ufffd')
}

/**
 * Signs that are not seen, such as fillers, soft hyphens and copies of ASCII letters for models: people do not know that they
 * are there, and terminals do not agree whether they take a column. Joiners and selectors of emoji stay.
 */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu
/** Marks and joiners without a letter before them: behind a colour of ours they would take a column of their own. */
const ALONE = /^(?:\p{M}|\u200c|\u200d)+/gmu
const MARK_FLOOD = new RegExp(`(\\p{M}{${MAX_MARKS}})\\p{M}+`, 'gu')

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what it finds.
export const SGR = /\x1b\[[\d;]*m/g
