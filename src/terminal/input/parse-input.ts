import { nameKey } from '../../team/name.ts'

/** What a typed line means. */
export type Input =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'slash'; readonly name: string; readonly rest: string }
  /** Of the user, in the user's own shell. */
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'mail'; readonly to: string; readonly text: string }
  | { readonly kind: 'prompt'; readonly text: string }

const LEAVING: readonly string[] = ['exit', 'quit', 'q']

/** `@name` is mail only where a member has that name; else it names a file, in a prompt. */
export function parseInput(typed: string, members: readonly string[]): Input {
  const text = typed.trim()
  if (text === '') return { kind: 'nothing' }
  if (LEAVING.includes(text.toLowerCase())) return { kind: 'leave' }
  const slash = /^\/([A-Za-z?][\w:.-]*)(?:\s+([\s\S]*))?$/.exec(text)
  if (slash) return { kind: 'slash', name: slash[1]!.toLowerCase(), rest: slash[2] ?? '' }
  if (text.startsWith('!') && text.length > 1) return { kind: 'shell', command: text.slice(1).trim() }
  const mail = /^@([\w-]+)(?:[\s:,]+([\s\S]*))?$/.exec(text)
  if (mail) {
    const key = nameKey(mail[1]!)
    const to = key === 'all' ? 'all' : members.find((name) => nameKey(name) === key)
    if (to !== undefined) return { kind: 'mail', to, text: mail[2] ?? '' }
  }
  return { kind: 'prompt', text }
}

/** The first word and the rest of it. */
export function firstWord(text: string): readonly [word: string, rest: string] {
  const [, word = '', rest = ''] = /^\s*(\S*)\s*([\s\S]*)$/.exec(text) ?? []
  return [word, rest]
}
