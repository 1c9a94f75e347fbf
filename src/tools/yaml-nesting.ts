/** Deeper than any file of ours, and shallow enough for the parser, which needs seconds or all memory for more. */
const MAX_LEVELS = 32
const MAX_INDENT = 64

/** `- - - x` nests once for each mark. */
const MARKS = /^[ \t]*(?:[-?:][ \t]+)*/

/** The first line, from 1, that nests deeper than a file needs; undefined where there is none. */
export function tooNested(source: string): number | undefined {
  let brackets = 0
  for (const [i, line] of source.split(/\r\n|[\r\n]/).entries()) {
    const [lead = ''] = MARKS.exec(line) ?? []
    const marks = lead.replace(/[ \t]+/g, '').length
    const indent = lead.search(/[^ \t]|$/)
    for (const character of line)
      if (character === '[' || character === '{') brackets += 1
      else if (character === ']' || character === '}') brackets = Math.max(0, brackets - 1)
    if (marks > MAX_LEVELS || indent > MAX_INDENT || brackets > MAX_LEVELS) return i + 1
  }
  return undefined
}
