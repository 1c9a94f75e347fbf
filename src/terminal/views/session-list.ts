import { decodeKittyPrintable, matchesKey } from '@earendil-works/pi-tui'
import { type Drawn, draw, harmlessText, paint } from '../drawing/drawn.ts'
import { dateOf, timeOfDay } from '../drawing/values.ts'
import type { SessionChoice } from '../host.ts'

/** What a key did: it chose a session, it moved or searched, or it is not a key of the list. */
type ListOutcome = { readonly chosen: SessionChoice } | 'used' | 'unused'

const ROWS_PER_SESSION = 2
const PAGE = 5
const MAX_SEARCH_CHARS = 60

/** Sessions to choose from, the newest first: each with its first prompt, and below it date, members and unread mail. */
export class SessionList {
  readonly #sessions: readonly SessionChoice[]
  #search = ''
  #selected = 0

  constructor(sessions: readonly SessionChoice[]) {
    this.#sessions = sessions
  }

  get title(): Drawn {
    return this.#search === '' ? draw`sessions` : draw`sessions · search: ${this.#search}`
  }

  /** The lines of the selected session. */
  get focus(): { readonly from: number; readonly to: number } {
    const from = this.#selected * ROWS_PER_SESSION
    return { from, to: from + ROWS_PER_SESSION - 1 }
  }

  lines(columns: number): Drawn[] {
    const found = this.#found
    if (found.length === 0) return [paint.dim('No session has these words.').fit(columns)]
    return found.flatMap((session, i) => sessionLines(session, i === this.#selected ? '› ' : '  ', columns))
  }

  key(data: string): ListOutcome {
    const found = this.#found
    const last = Math.max(0, found.length - 1)
    if (matchesKey(data, 'up')) this.#selected = Math.max(0, this.#selected - 1)
    else if (matchesKey(data, 'down')) this.#selected = Math.min(last, this.#selected + 1)
    else if (matchesKey(data, 'pageUp')) this.#selected = Math.max(0, this.#selected - PAGE)
    else if (matchesKey(data, 'pageDown')) this.#selected = Math.min(last, this.#selected + PAGE)
    else if (matchesKey(data, 'home')) this.#selected = 0
    else if (matchesKey(data, 'end')) this.#selected = last
    else if (matchesKey(data, 'enter')) {
      const chosen = found[this.#selected]
      return chosen ? { chosen } : 'used'
    } else if (matchesKey(data, 'backspace')) this.#searchFor([...this.#search].slice(0, -1).join(''))
    else if (isText(data)) this.#searchFor(this.#search + (decodeKittyPrintable(data) ?? data))
    else return 'unused'
    return 'used'
  }

  get #found(): readonly SessionChoice[] {
    const words = this.#search.toLowerCase().split(/\s+/)
    return this.#sessions.filter(({ id, firstPrompt, members, at }) => {
      const text = `${id} ${firstPrompt} ${members.join(' ')} ${dateOf(at)}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
  }

  #searchFor(words: string): void {
    this.#search = words.slice(0, MAX_SEARCH_CHARS)
    this.#selected = 0
  }
}

/** Where a person types instead of pressing keys: the same facts, with the id of each. */
export function typedSessionLines(sessions: readonly SessionChoice[], columns: number): Drawn[] {
  return sessions.flatMap((session) => sessionLines(session, draw`${session.id}  `, columns))
}

function sessionLines(session: SessionChoice, mark: string | Drawn, columns: number): Drawn[] {
  const { at, firstPrompt, members, unread, isRunning } = session
  const prompt = firstPrompt.trim() === '' ? draw`(no prompt)` : draw`${firstPrompt.trim()}`
  const facts = [
    `${dateOf(at)} ${timeOfDay(at)}`,
    members.length === 0 ? 'no teammates' : members.join(', '),
    ...(unread > 0 ? [`${unread} unread`] : []),
    ...(isRunning ? ['runs in another process'] : []),
  ]
  const isSelected = mark === '› '
  const first = draw`${mark}${isSelected ? paint.bold(prompt) : prompt}`.fit(columns)
  // The end matters: unread mail is behind the names, which may be many.
  const [date, names, ...rest] = facts
  const end = draw`${rest.map((fact) => ` · ${fact}`).join('')}`
  const free = Math.max(8, columns - 7 - date!.length - end.columns)
  const second = draw`    ${date!} · ${draw`${names!}`.fit(free)}${end}`
  return [isSelected ? paint.cyan(first) : first, paint.dim(second).fit(columns)]
}

function isText(data: string): boolean {
  const text = decodeKittyPrintable(data) ?? data
  return text !== '' && !text.startsWith('\x1b') && harmlessText(text) === text && !/[\n\t]/.test(text)
}
