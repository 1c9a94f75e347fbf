import { Markdown, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { broken } from './columns.ts'
import { Drawn, harmlessText } from './drawn.ts'
import { markdownTheme } from './theme.ts'

/** Markdown of a model as lines. */
export function markdownLines(text: string, columns: number): Drawn[] {
  const lines = new Markdown(harmlessText(text), 0, 0, markdownTheme).render(columns)
  return lines.flatMap((line) => broken(withoutTrailingSpace(line), columns)).map(Drawn.ofComponent)
}

/** Text of others as it is, its long lines broken between words. */
export function wrappedLines(text: string, columns: number): Drawn[] {
  return harmlessText(text)
    .replaceAll('\t', '    ')
    .split('\n')
    .flatMap((line) => wrapTextWithAnsi(line, columns))
    .flatMap((line) => broken(line, columns))
    .map(Drawn.ofComponent)
}

/** Spaces up to the edge are only more to write. */
function withoutTrailingSpace(line: string): string {
  return line.replace(TRAILING_SPACE, '$1')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what it finds.
const TRAILING_SPACE = / +((?:\x1b\[[\d;]*m)*)$/
