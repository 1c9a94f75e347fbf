import { TeamError } from '../../team/errors.ts'

/** `bash(git *)`, `edit_file(src/**)` or the plain name of a tool. */
export interface Rule {
  /** As the user wrote it, to name it when it decides. */
  readonly text: string
  /** Lower case. */
  readonly tools: readonly string[]
  /** Undefined: whatever the tool does. */
  readonly pattern: string | undefined
}

/** Rules as they stand on a command line: with commas or spaces between them, which may also be inside parentheses. */
export function parseRules(text: string): Rule[] {
  const parts = ['']
  let depth = 0
  for (const sign of text) {
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0
    if (depth <= 0 && /[\s,]/.test(sign)) parts.push('')
    else parts[parts.length - 1] += sign
  }
  return parts.filter((part) => part !== '').map(parseRule)
}

export function parseRule(text: string): Rule {
  const [, name, pattern] = /^([A-Za-z0-9_*-]+)(?:\((.+)\))?$/s.exec(text.trim()) ?? []
  if (name === undefined) throw new WrongRule(text)
  const key = name.toLowerCase()
  const isAll = key === 'bash' && pattern?.trim() === '*'
  return { text: text.trim(), tools: ALIASES.get(key) ?? [key], pattern: isAll ? undefined : pattern?.trim() }
}

export class WrongRule extends TeamError {
  readonly code = 'wrong_rule'
  constructor(text: string) {
    super(
      `${JSON.stringify(text)} is not a rule. Write a tool's name, or one like "bash(git *)" or "edit_file(src/**)".`,
    )
  }
}

/** What other programs call these tools; people bring their rules along. */
const ALIASES = new Map([
  ['read', ['read_file']],
  ['edit', ['edit_file', 'write_file']],
  ['write', ['write_file']],
])
