import { unknownBuiltin } from './builtins.ts'
import { unknownUse } from './tables/unknown-use.ts'
import { literal, OPEN_WORD, type Word } from './word.ts'
import { FOLLOWED, type Followed, SHELLS, SUFFIXES } from './wrappers.ts'

/**
 * What a command runs in turn.
 *
 * words     a program with its words; `at` is where it begins in the command, -1 if it does not stand there as such
 * script    a text for a shell
 * suffixes  a program somewhere in its words, at an unknown place
 * unknown   something that cannot be seen from here
 */
export type Inside =
  | { readonly kind: 'words'; readonly words: readonly Word[]; readonly at: number }
  | { readonly kind: 'script'; readonly script: string; readonly at: number }
  | { readonly kind: 'suffixes' }
  | { readonly kind: 'unknown'; readonly why: string }

/** The name of a program without its folder, which is how rules call it. */
export function programOf(words: readonly Word[]): string | undefined {
  const text = words[0]?.text
  return text?.slice(text.lastIndexOf('/') + 1)
}

/** All that a simple command runs besides its own program. Empty for most. */
export function insideOf(words: readonly Word[]): Inside[] {
  const program = programOf(words)
  if (program === undefined) return words.length > 0 ? [unknown('its program is not known before it runs')] : []
  if (SHELLS.has(program)) return insideShell(words)
  if (SUFFIXES.has(program)) return words.length > 1 ? [{ kind: 'suffixes' }] : []
  if (program === 'find') return insideFind(words)
  if (program === 'fd' || program === 'fdfind') return insideFd(words)
  if (program === 'eval') return insideText(words.slice(words[1]?.text === '--' ? 2 : 1))
  if (program === 'trap') return insideTrap(words)
  const why = unknownBuiltin(words) ?? unknownUse(words)
  if (why !== undefined) return [unknown(why)]
  const followed = FOLLOWED.get(program)
  return followed ? insideFollowed(program, followed, words) : []
}

/** Commands for later: `trap '…' EXIT`. */
function insideTrap(words: readonly Word[]): Inside[] {
  const rest = words.slice(words[1]?.text === '--' ? 2 : 1)
  if (rest.length === 0 || (rest.length === 1 && /^-[lp]$/.test(rest[0]!.text ?? ''))) return []
  if (rest[0]!.text?.startsWith('-') && rest[0]!.text !== '-') return [unknown('what trap is given is not known here')]
  return rest[0]!.text === '-' || rest[0]!.text === '' ? [] : insideText(rest.slice(0, 1))
}

function unknown(why: string): Inside {
  return { kind: 'unknown', why }
}

function insideText(words: readonly Word[]): Inside[] {
  if (words.length === 0) return []
  const texts = words.map(({ text }) => text)
  if (texts.includes(undefined)) return [unknown('what it is given to run is not known before')]
  return [{ kind: 'script', script: texts.join(' '), at: 1 }]
}

/** `bash -c '…'`, a script in a file, or whatever comes in by a pipe. */
function insideShell(words: readonly Word[]): Inside[] {
  const open = unknown('what the shell is given is not known before')
  for (let i = 1; i < words.length; i++) {
    const { text } = words[i]!
    if (text === undefined) return [open]
    if (/^-[eulx]*c$/.test(text)) {
      const script = words[i + 1]?.text
      return script === undefined || words.length > i + 2 ? [open] : [{ kind: 'script', script, at: i + 1 }]
    }
    if (/^[-+][eux]+$|^--(norc|noprofile|posix)$/.test(text)) continue
    if (/^[-+][eux]*o$/.test(text) && /^(pipefail|errexit|nounset|xtrace)$/.test(words[i + 1]?.text ?? '')) {
      i++
      continue
    }
    if (/^[-+]/.test(text)) break
    // A file is a program like any other, which a rule can name; a pipe or a descriptor is not.
    return /^\/(dev|proc)(\/|$)/.test(text) ? [open] : [{ kind: 'words', words: words.slice(i), at: i }]
  }
  return words.length === 2 && /^--(version|help)$/.test(words[1]?.text ?? '')
    ? []
    : [unknown('a shell that reads from a pipe runs anything')]
}

function insideFollowed(program: string, spec: Followed, words: readonly Word[]): Inside[] {
  let i = 1
  for (; i < words.length; i++) {
    const { text } = words[i]!
    if (text === undefined) return [unknown(`what ${program} runs is not known before`)]
    if (text === '--') {
      i++
      break
    }
    if (!text.startsWith('-')) {
      if (spec.assignments && /^[A-Za-z_]\w*=/.test(text))
        return [unknown(`${program} sets variables for what it runs`)]
      break
    }
    if (spec.alone?.test(text)) return []
    if (spec.flags.test(text)) continue
    if (!spec.takes?.test(text)) return [unknown(`${program} ${text} is not known here`)]
    i++
  }
  i += spec.operands ?? 0
  const rest = words.slice(i)
  if (rest.length === 0) return []
  return [{ kind: 'words', words: spec.appends ? [...rest.map(filledIn), OPEN_WORD] : rest, at: i }]
}

/** What a program puts in place of `{}` is known when it runs. */
function filledIn(word: Word): Word {
  return word.text?.includes('{}') ? { raw: word.raw } : word
}

/** A `find` that runs more than this is not read to its end. */
const MOST_RUNS = 20

function insideFind(words: readonly Word[]): Inside[] {
  const found: Inside[] = []
  for (let i = 1; i < words.length; i++) {
    const { text } = words[i]!
    // Bare words may stand before the expression only where they cannot become a part of it.
    if (text === undefined && words[i]?.glob === undefined) return [unknown('what find does is not known before')]
    if (text === '-delete') found.push({ kind: 'words', words: [literal('rm'), OPEN_WORD], at: -1 })
    if (/^-f(print0?|printf|ls)$/.test(text ?? '')) found.push(unknown(`find ${text} writes a file`))
    if (found.length > MOST_RUNS) return [unknown('find runs too much')]
    if (!/^-(exec|ok)(dir)?$/.test(text ?? '')) continue
    let end = i + 1
    while (end < words.length && words[end]!.text !== ';' && words[end]!.text !== '+') end++
    const inner = words.slice(i + 1, end)
    if (inner.length > 0) found.push({ kind: 'words', words: inner.map(filledIn), at: i + 1 })
    i = end
  }
  return found
}

function insideFd(words: readonly Word[]): Inside[] {
  const at = words.findIndex(({ text }) => /^(-[a-zA-Z]*[xX]|--exec(-batch)?)$/.test(text ?? ''))
  if (words.some(({ text }) => /^--exec(-batch)?=/.test(text ?? ''))) return [unknown('what fd runs is not known')]
  if (at === -1)
    return words.some(({ text, glob }) => text === undefined && glob === undefined)
      ? [unknown('what fd does is not known before')]
      : []
  return [{ kind: 'words', words: [...words.slice(at + 1).map(filledIn), OPEN_WORD], at: at + 1 }]
}
