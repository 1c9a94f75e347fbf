import { beginning, counted } from '../../team/wording.ts'
import { shownName } from '../paths/shown-name.ts'
import type { FileFound, Found, SearchOptions } from './search-files.ts'

const MAX_LINE_CHARACTERS = 500

export interface ShowOptions extends SearchOptions {
  readonly pattern: string
  readonly context: number
}

export function showFound({ files, isCut, tooLarge }: Found, options: ShowOptions, searched: number): string {
  const notes = [
    ...(isCut ? [`[there are more than ${options.limit}; use a narrower pattern, path or glob]`] : []),
    ...(tooLarge.length > 0 ? [`[not searched, too large: ${tooLarge.map(shownName).join(', ')}; use bash]`] : []),
  ]
  if (files.length === 0)
    return [`No line matches ${options.pattern} in ${counted(searched, 'file')}.`, ...notes].join('\n')
  const format = {
    files: ({ shown }: FileFound) => shownName(shown),
    count: ({ shown, matches }: FileFound) => `${shownName(shown)}: ${matches.length}`,
    content: (file: FileFound) => showLines(file, options.context),
  }[options.mode]
  return [...files.map(format), ...notes].join('\n')
}

/** `path:12:text` where it matches, `path-13-text` around it, `--` where lines are left out. */
function showLines({ shown, lines, matches }: FileFound, context: number): string {
  const name = shownName(shown)
  const isMatch = new Set(matches)
  const wanted = new Set(matches.flatMap((at) => Array.from({ length: 2 * context + 1 }, (_, i) => at - context + i)))
  const shownLines = [...wanted].filter((at) => at >= 0 && at < lines.length).sort((a, b) => a - b)
  return shownLines
    .flatMap((at, i) => {
      const sign = isMatch.has(at) ? ':' : '-'
      const gap = context > 0 && i > 0 && shownLines[i - 1] !== at - 1 ? ['--'] : []
      return [...gap, `${name}${sign}${at + 1}${sign}${beginning(lines[at]!, MAX_LINE_CHARACTERS)}`]
    })
    .join('\n')
}
