import { NotUnderstood } from './not-understood.ts'
import type { Word } from './word.ts'

/** A text that is being read, and what to do with commands inside of a word. */
export interface Source {
  at: number
  readonly text: string
  /** From behind an opening bracket to behind the one that closes it. */
  readNested(): void
  readScript(script: string): void
}

/** What is known of a word while it is read. */
interface Draft {
  text: string
  /** It is not all there is to know: something is filled in when it runs. */
  isOpen: boolean
}

/** Reads one word with all its quotes and substitutions; what those run is handed to the source. */
export function readWord(source: Source): Word {
  const { text } = source
  const begin = source.at
  const draft: Draft = { text: '', isOpen: false }
  /** What is not quoted and may make several words of one. */
  let signs = ''
  for (;;) {
    const sign = text[source.at]
    if (sign === undefined || /[\s;&|)]/.test(sign)) break
    if (sign === '<' || sign === '>') {
      if (text[source.at + 1] !== '(') break
      source.at += 2
      source.readNested()
      // The program gets the name of a pipe, whose number decides nothing.
      draft.text += '/dev/fd/63'
      continue
    }
    if (sign === '(') throw new NotUnderstood('a ( stands inside of a word')
    source.at++
    if (sign === '\\') readEscape(source, draft)
    else if (sign === "'") draft.text += readSingle(source)
    else if (sign === '"') readDouble(source, draft)
    else if (sign === '$') readDollar(source, draft, false)
    else if (sign === '`') readBackquotes(source, draft)
    else {
      if (/[*?[\]{},.]/.test(sign)) signs += sign
      if (sign === '~' && (source.at - 1 === begin || /[=:]/.test(text[source.at - 2]!))) draft.isOpen = true
      draft.text += sign
    }
  }
  const raw = text.slice(begin, source.at)
  // `{}` alone is what it says; with a comma or two dots in between it becomes several words.
  if (draft.isOpen || /\{.*(,|\.\.).*\}/.test(signs)) return { raw }
  return /[*?]|\[.*\]/.test(signs) ? { raw, glob: draft.text } : { raw, text: draft.text }
}

function readEscape(source: Source, draft: Draft): void {
  const sign = source.text[source.at]
  if (sign === undefined) throw new NotUnderstood('it ends with a backslash')
  source.at++
  if (sign !== '\n') draft.text += sign
}

function readSingle(source: Source): string {
  const end = source.text.indexOf("'", source.at)
  if (end === -1) throw new NotUnderstood('a quote has no end')
  const inside = source.text.slice(source.at, end)
  source.at = end + 1
  return inside
}

/** The body of a heredoc: to its end, with quotes that mean nothing. */
export function readExpanded(source: Source): void {
  readDouble(source, { text: '', isOpen: false }, false)
}

function readDouble(source: Source, draft: Draft, isQuoted = true): void {
  for (;;) {
    const sign = source.text[source.at]
    if (sign === undefined && isQuoted) throw new NotUnderstood('a quote has no end')
    if (sign === undefined) return
    source.at++
    if (sign === '"' && isQuoted) return
    if (sign === '$') readDollar(source, draft, true)
    else if (sign === '`') readBackquotes(source, draft)
    else if (sign === '\\') {
      const next = source.text[source.at] ?? ''
      source.at += next === '' ? 0 : 1
      draft.text += next === '\n' ? '' : /[$`"\\]/.test(next) ? next : `\\${next}`
    } else draft.text += sign
  }
}

function readDollar(source: Source, draft: Draft, isQuoted: boolean): void {
  const rest = source.text.slice(source.at, source.at + 200)
  if (rest.startsWith('((') || rest.startsWith('[')) throw new NotUnderstood('it calculates')
  if (rest.startsWith('(')) {
    source.at++
    source.readNested()
    draft.isOpen = true
    return
  }
  if (rest.startsWith('{')) {
    const [whole] = PLAIN_EXPANSION.exec(rest) ?? []
    if (whole === undefined) throw new NotUnderstood('it has an expansion that may run something')
    source.at += whole.length
    draft.isOpen = true
    return
  }
  // $'…' with escapes of its own, and $"…" in other languages: what they say is not worked out.
  if (!isQuoted && /^['"]/.test(rest)) {
    const [whole] = /^'(?:[^'\\]|\\.)*'/s.exec(source.text.slice(source.at)) ?? []
    if (whole === undefined) throw new NotUnderstood('it has a text in a form of its own')
    source.at += whole.length
    draft.isOpen = true
    return
  }
  const [name] = /^(?:[A-Za-z_]\w*|[0-9@*#?$!_-])/.exec(rest) ?? []
  if (name === undefined) {
    draft.text += '$'
    return
  }
  source.at += name.length
  draft.isOpen = true
}

/** A value and what to use instead or cut off, without anything that is worked out in turn. */
const PLAIN_EXPANSION = /^\{(?:#?[A-Za-z_]\w*|#?\d+|[#?$!@*-]|[A-Za-z_]\w*(?::[-+?]|[-+?]|%%?|##?)[\w./ *-]*)\}/

function readBackquotes(source: Source, draft: Draft): void {
  let script = ''
  for (;;) {
    const sign = source.text[source.at]
    if (sign === undefined) throw new NotUnderstood('a backquote has no end')
    source.at++
    if (sign === '`') break
    const next = source.text[source.at] ?? ''
    if (sign === '\\' && /[\\`$]/.test(next)) {
      script += next
      source.at++
    } else script += sign
  }
  source.readScript(script)
  draft.isOpen = true
}
