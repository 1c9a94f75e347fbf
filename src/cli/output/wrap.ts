import { brokenWord, widthOf } from './width.ts'

/**
 * Breaks lines between words where a terminal of so many columns would break them inside one. The rest of a line begins
 * at `margin`, or a little further in than the line itself. Without columns, as in a pipe, lines stay whole.
 */
export function wrapped(text: string, columns: number | undefined, margin?: number): string {
  if (!columns) return text
  return text
    .split('\n')
    .map((line) => (widthOf(line) <= columns ? line : wrappedLine(line, columns, margin)))
    .join('\n')
}

/** A word that is longer than a line, such as a path, has a line for itself. */
function wrappedLine(line: string, columns: number, margin = widthOf(/^ */.exec(line)![0]) + 2): string {
  const indent = ' '.repeat(margin > columns / 2 ? 2 : margin)
  const lines: string[] = []
  let current = ''
  const add = (word: string) => {
    if (current.trim() === '' || widthOf(current + word) <= columns) {
      current += word
    } else {
      lines.push(current)
      current = indent + word.trimStart()
    }
  }
  for (const word of line.match(/\s*\S+|\s+$/g) ?? []) {
    const [first = '', ...rest] =
      widthOf(word) > columns - indent.length ? brokenWord(word, columns - indent.length) : [word]
    add(first)
    for (const piece of rest) {
      lines.push(current)
      current = indent + piece
    }
  }
  return [...lines, current].join('\n')
}
