import { gitRuns } from './git-runs.ts'
import { OPEN_WORD, type Word } from './word.ts'
import { FOLLOWED, type Followed, RISKY_OPTIONS, SHELLS, SUFFIXES } from './wrappers.ts'

/**
 * What a command runs in turn.
 *
 * words     a program with its words; `at` is where it begins in the command, -1 if it does not stand there as such
 * script    a text for a shell
 * suffixes  a program somewhere in its words, nobody knows where
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
  if (program === 'git') return gitRuns(words).map(unknown)
  if (program === 'eval') return insideText(words.slice(1))
  if (program === 'trap') return words.length > 2 ? insideText(words.slice(1, 2)) : []
  if (UNSEEN.has(program)) return [unknown(`${program} can run anything`)]
  const risky = RISKY_OPTIONS.get(program)
  // A pattern of names may become an option too, where a file is called like one.
  if (risky && words.slice(1).some(({ text }) => text === undefined || risky.test(text)))
    return [unknown(`${program} may run a program by its options`)]
  const followed = FOLLOWED.get(program)
  return followed ? insideFollowed(program, followed, words) : []
}

/** Builtins behind which later words mean something else. */
const UNSEEN = new Set(['.', 'source', 'alias', 'unalias', 'enable', 'bind', 'complete', 'compgen', 'hash', 'fc'])

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
  for (let i = 1; i < words.length; i++) {
    const { text } = words[i]!
    if (text === undefined) return [unknown('what the shell is given is not known before')]
    if (/^[-+][a-zA-Z]*c[a-zA-Z]*$/.test(text)) {
      const script = words[i + 1]?.text
      if (script === undefined || words.length > i + 2 || /[io]/.test(text))
        return [unknown('what the shell is given is not known before')]
      return [{ kind: 'script', script, at: i + 1 }]
    }
    if (/^[-+][eux]+$|^--(norc|noprofile|posix)$/.test(text)) continue
    if (/^[-+]o$/.test(text) && /^\w+$/.test(words[i + 1]?.text ?? '')) {
      i++
      continue
    }
    if (/^-/.test(text)) break
    // A file is a program like any other, which a rule can name.
    return [{ kind: 'words', words: words.slice(i), at: i }]
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

function insideFind(words: readonly Word[]): Inside[] {
  const found: Inside[] = []
  for (let i = 1; i < words.length; i++) {
    const { text } = words[i]!
    // Bare words may stand before the expression only where they cannot become a part of it.
    if (text === undefined && words[i]?.glob === undefined) return [unknown('what find does is not known before')]
    if (text === '-delete') found.push({ kind: 'words', words: [plain('rm'), OPEN_WORD], at: -1 })
    if (/^-f(print0?|printf|ls)$/.test(text ?? '')) found.push(unknown(`find ${text} writes a file`))
    if (!/^-(exec|ok)(dir)?$/.test(text ?? '')) continue
    const end = words.findIndex((word, at) => at > i && (word.text === ';' || word.text === '+'))
    const inner = words.slice(i + 1, end === -1 ? undefined : end)
    if (inner.length > 0) found.push({ kind: 'words', words: inner.map(filledIn), at: i + 1 })
    i = end === -1 ? words.length : end
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

export function plain(text: string): Word {
  return { raw: text, text }
}
