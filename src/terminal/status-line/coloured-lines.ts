import { Drawn, draw } from '../drawing/drawn.ts'

/** More would push the conversation off a small screen. */
const MAX_LINES = 3
const MAX_LINE_CHARS = 4000
const MAX_CHARS = MAX_LINES * MAX_LINE_CHARS

/** The first lines of what a program printed: its colours stay, every other escape sequence and control goes. */
export function colouredLines(output: string, padding: number, columns: number): Drawn[] {
  const lines = output
    .slice(0, MAX_CHARS)
    .replace(SEQUENCE, (sequence) => (COLOUR.test(sequence) ? sequence : ''))
    .replace(/\s+$/, '')
    .split(/\r?\n/)
    .slice(0, MAX_LINES)
    .map((line) => colouredLine(line.slice(0, MAX_LINE_CHARS), padding, columns))
  return lines.every((line) => line.bare.trim() === '') ? [] : lines
}

function colouredLine(line: string, padding: number, columns: number): Drawn {
  const pieces = line.split(COLOUR).map((piece, i) => (i % 2 === 1 ? piece : draw`${piece}`.ansi))
  // A colour that is not taken back would reach to the end of the screen.
  const ended = pieces.length > 1 ? [...pieces, RESET] : pieces
  return Drawn.ofComponent(`${' '.repeat(padding)}${ended.join('')}`).fit(columns)
}

const RESET = '\x1b[0m'
// biome-ignore-start lint/suspicious/noControlCharactersInRegex: the escape character is what they find.
const COLOUR = /(\x1b\[[\d;]{0,40}m)/
/** Whole, with what they carry: a title, the address of a link. */
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]*[0-~])/g
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: the escape character is what they find.
