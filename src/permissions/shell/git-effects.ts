import { placeOf } from '../paths/places.ts'
import type { Folders } from './folders.ts'
import { programOf } from './inside.ts'
import type { Word } from './word.ts'

/** The sub-command of git that these words run, whatever options stand before it; undefined where it cannot be told. */
function gitCommandOf(words: readonly Word[]): string | undefined {
  if (programOf(words) !== 'git') return undefined
  for (let i = 1; i < words.length; i++) {
    const { text } = words[i]!
    if (text === undefined) return undefined
    if (/^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path)$/.test(text)) i++
    else if (!text.startsWith('-')) return text
  }
  return undefined
}

/** Sub-commands that read what is committed and nothing in the folder. */
const IN_HISTORY = `log show shortlog whatchanged reflog rev-list diff-tree range-diff cherry rev-parse ls-tree cat-file
  merge-base name-rev for-each-ref show-ref count-objects branch tag push remote config worktree version var`

/** Sub-commands that look at the folder, or change no more of it than what they take away. */
const WITHOUT_NEW_FILES = `status diff blame ls-files describe check-ignore grep add commit rm clean fetch submodule`

const inHistory: ReadonlySet<string> = new Set(IN_HISTORY.split(/\s+/))
const withoutNewFiles: ReadonlySet<string> = new Set(WITHOUT_NEW_FILES.split(/\s+/))

/** The places that a `git add` puts into the index; none for any other command. */
export function addedBy(words: readonly Word[], folders: Folders): readonly string[] | 'anything' {
  if (gitCommandOf(words) !== 'add') return []
  const operands = words.slice(words.findIndex(({ text }) => text === 'add') + 1)
  // Only plain paths where git runs: `-A`, `:/`, patterns and another folder mean more.
  if (words[1]?.text !== 'add' || !folders || operands.length === 0) return 'anything'
  if (!operands.every(({ text }) => /^[\w./@+-]+$/.test(text ?? '') && !text!.startsWith('-'))) return 'anything'
  return folders.flatMap((folder) => operands.map(({ text }) => placeOf(text!, folder)))
}

export function staysInHistory(words: readonly Word[]): boolean {
  return inHistory.has(gitCommandOf(words) ?? '')
}

/** Whether a command brings files from elsewhere into the folder, and with them perhaps links. */
export function plants(words: readonly Word[]): boolean {
  const program = programOf(words)
  if (program !== 'git') return /^(cp|mv|gh)$/.test(program ?? '')
  const command = gitCommandOf(words)
  return command === undefined ? words.length > 1 : !inHistory.has(command) && !withoutNewFiles.has(command)
}
