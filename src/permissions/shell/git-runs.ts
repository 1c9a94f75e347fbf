import type { Word } from './word.ts'

/** Why a git command may run another program, as reasons; empty for the many that do not. */
export function gitRuns(words: readonly Word[]): string[] {
  let i = 1
  for (; i < words.length; i++) {
    const { text } = words[i]!
    if (text === undefined) return ['what git is told to do is not known before']
    if (/^(-c|--config-env|--exec-path=|--git-dir|--work-tree|--namespace)/.test(text) && !text.startsWith('-C'))
      return [`git ${text} can make git run any program`]
    if (text === '-C') {
      if (words[++i]?.text === undefined) return ['where git works is not known before']
      continue
    }
    if (!text.startsWith('-')) break
  }
  const [command, ...rest] = words.slice(i)
  const name = command?.text
  const has = (pattern: RegExp) => rest.some(({ text }) => pattern.test(text ?? ''))
  const isOpen = rest.some(({ text, glob }) => text === undefined && glob === undefined)
  const runs = RUNS.get(name ?? '')
  if (name === 'config' || name === 'alias')
    return has(/^(--get.*|-l|--list|get|list)$/) && !has(/^--(add|unset|replace-all|edit)/)
      ? []
      : ['git config decides what git runs']
  if (has(/^(--upload-pack|--receive-pack|--exec\b|--open-files-in-pager|ext::)/))
    return [`git ${name} can run a program by it`]
  if (ALWAYS.has(name ?? '')) return [`git ${name} runs programs`]
  if (!runs) return []
  return has(runs) || isOpen ? [`git ${name} can run a program by it`] : []
}

const ALWAYS: ReadonlySet<string> = new Set(
  'difftool mergetool filter-branch send-email instaweb daemon credential hook for-each-repo'.split(' '),
)

/** Options and words by which a command of git runs a program. */
const RUNS: ReadonlyMap<string, RegExp> = new Map([
  ['bisect', /^run$/],
  ['rebase', /^(-x|-i|--exec|--interactive)/],
  ['submodule', /^(foreach|update|add)$/],
  ['grep', /^-[a-zA-Z]*O/],
  ['clone', /^(-c|--config|-u|--template)/],
  ['init', /^--template/],
  ['archive', /^--(remote|exec|output)/],
  ['fetch', /^-u/],
  ['pull', /^-u/],
  ['push', /^--receive/],
  ['apply', /^--unsafe-paths/],
  ['diff', /^(--ext-diff|--textconv|--output)/],
  ['log', /^(--ext-diff|--textconv|--output)/],
  ['show', /^(--ext-diff|--textconv|--output)/],
  ['commit', /^(-e|--edit|--template|-t)$/],
])
