import { relative, sep } from 'node:path'
import picomatch from 'picomatch'
import type { Wish } from '../ports/tool.ts'
import { TeamError } from '../team/errors.ts'
import { isInside, placeOf } from './paths/territory.ts'

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
  return { text: text.trim(), tools: ALIASES.get(key) ?? [key], pattern: pattern?.trim() }
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

/** Whether the rule is about the tool itself, whatever it does. */
export function namesTool(rule: Rule, tool: string): boolean {
  return rule.pattern === undefined && rule.tools.includes(tool.toLowerCase())
}

/**
 * Whether a rule that allows means this. A command that is more than one simple command never matches a pattern: what
 * the pattern says about its beginning says nothing about the rest.
 */
export function allows(rule: Rule, tool: string, wish: Wish | undefined, root: string): boolean {
  if (!rule.tools.includes(tool.toLowerCase())) return false
  if (rule.pattern === undefined) return true
  if (wish?.kind === 'run') return isSimple(wish.command) && matchesCommand(rule.pattern, wish.command.trim())
  return (wish?.kind === 'read' || wish?.kind === 'write') && matchesPath(rule.pattern, wish.path, root)
}

/** Whether a rule that denies or asks means this. It looks into every part of a command, and at every way to a file. */
export function catches(rule: Rule, tool: string, wish: Wish | undefined, root: string): boolean {
  const { pattern } = rule
  if (pattern === undefined) return namesTool(rule, tool)
  if (wish?.kind === 'run')
    return (
      rule.tools.includes(tool.toLowerCase()) && partsOf(wish.command).some((part) => matchesCommand(pattern, part))
    )
  if (wish?.kind === 'read' || wish?.kind === 'write') return catchesPath(rule, wish.kind, wish.path, root)
  return false
}

/** The same for a file alone: who may not edit it must not replace it either. */
export function catchesPath({ tools, pattern }: Rule, kind: 'read' | 'write', path: string, root: string): boolean {
  if (pattern === undefined || !tools.some((tool) => TOUCHING[kind].includes(tool))) return false
  return matchesPath(pattern, path, root, { nocase: true })
}

const TOUCHING = { read: ['read_file', 'glob', 'grep'], write: ['write_file', 'edit_file'] }

/** No operator, substitution, redirection or second line: one command with its words. */
function isSimple(command: string): boolean {
  return !/[;&|<>()$`\n\r\0]/.test(command)
}

/** The whole, and each part between operators without what stands before the command itself. */
function partsOf(command: string): string[] {
  const parts = command.split(/[;&|()`\n\r]+|\$\(/).map((part) => part.trim().replace(PREFIX, ''))
  return [command.trim(), ...parts]
}

const PREFIX = /^(?:(?:\w+=\S*|then|do|else|time|exec|command|nohup|sudo|env|\{|!)\s+)+/

/** `*` stands for anything; ` *` and `:*` at the end also for nothing. */
function matchesCommand(pattern: string, command: string): boolean {
  const prefix = /^(.*?)(?: \*|:\*)$/s.exec(pattern)?.[1]
  if (prefix !== undefined && !prefix.includes('*')) return command === prefix || command.startsWith(`${prefix} `)
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(command)
}

/** As in a `.gitignore`: a pattern without `/` means a name anywhere, and a folder means what is in it. */
function matchesPath(pattern: string, path: string, root: string, options: { nocase?: boolean } = {}): boolean {
  const place = placeOf(path, root)
  const isAbsolute = pattern.startsWith('/')
  if (!isAbsolute && !isInside(root, place)) return false
  const steps = (isAbsolute ? place : relative(root, place)).split(sep)
  const plain = pattern.replace(/^\.\//, '').replace(/\/+$/, '')
  const matches = picomatch(plain, { dot: true, basename: !plain.includes('/'), ...options })
  return steps.some((_, i) => matches(steps.slice(0, i + 1).join('/')))
}
