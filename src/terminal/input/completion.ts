import { type AutocompleteItem, type AutocompleteProvider, fuzzyFilter, fuzzyMatch } from '@earendil-works/pi-tui'
import { type Drawn, draw } from '../drawing/drawn.ts'
import { projectFiles } from './project-files.ts'

export interface CompletionSources {
  readonly cwd: string
  /** Names and what they are. */
  commands(): readonly { readonly name: string; readonly about: string }[]
  members(): readonly { readonly name: string; readonly about: string }[]
}

const MAX_ITEMS = 50

/** Completes `/command` at the start, `@member` at the start, and `@file` anywhere. */
export function createCompletion({ cwd, commands, members }: CompletionSources): AutocompleteProvider {
  return {
    async getSuggestions(lines, cursorLine, cursorColumn, { signal }) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorColumn)
      if (cursorLine === 0 && /^\/\S*$/.test(before)) {
        const found = fuzzyFilter([...commands()], before.slice(1), ({ name }) => name)
        return suggest(
          before,
          found.map(({ name, about }) => item(`/${name}`, about)),
        )
      }
      const word = /(?:^|\s)(@\S*)$/.exec(before)?.[1]
      if (word === undefined) return null
      const query = word.slice(1)
      const isAtStart = cursorLine === 0 && before === word
      const named = isAtStart ? [...members(), { name: 'all', about: 'every teammate' }] : []
      const people = fuzzyFilter(named, query, ({ name }) => name).map(({ name, about }) => item(`@${name}`, about))
      const files = await projectFiles(cwd, signal)
      if (signal.aborted) return null
      const paths = fuzzyFilter(files, query, (path) => path).map((path) => item(`@${path}`, ''))
      return suggest(word, [...people, ...paths])
    },
    applyCompletion(lines, cursorLine, cursorCol, { value }) {
      const line = lines[cursorLine] ?? ''
      // The list may be older than the last letters, so the word is read again.
      const word = /(?:^|\s)([@/]\S*)$/.exec(line.slice(0, cursorCol))?.[1] ?? ''
      if (!fuzzyMatch(word.slice(1), value).matches) return { lines, cursorLine, cursorCol }
      const start = line.slice(0, cursorCol - word.length)
      const next = `${start}${value} ${line.slice(cursorCol).trimStart()}`
      return {
        lines: lines.map((other, i) => (i === cursorLine ? next : other)),
        ...{ cursorLine, cursorCol: start.length + value.length + 1 },
      }
    },
    shouldTriggerFileCompletion: (lines, cursorLine, cursorCol) =>
      /(^|\s)@\S*$/.test((lines[cursorLine] ?? '').slice(0, cursorCol)),
  }
}

function suggest(prefix: string, items: AutocompleteItem[]) {
  return items.length === 0 ? null : { prefix, items: items.slice(0, MAX_ITEMS) }
}

function item(value: string, about: string): AutocompleteItem {
  const shown = (text: string | Drawn) => draw`${text}`.bare
  return { value: shown(value), label: shown(value), description: shown(about) }
}
