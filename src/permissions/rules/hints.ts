import { relative } from 'node:path'
import { placeOf } from '../paths/places.ts'
import { orUndefined } from '../paths/safe-reads.ts'
import type { Action } from '../permission.ts'
import { type Step, unknownIn } from '../shell/line.ts'
import { spell } from '../shell/match-command.ts'
import { readLine } from '../shell/read-line.ts'
import { isKnownProgram } from '../shell/tables/tables.ts'
import { TRANSPARENT } from '../shell/wrappers.ts'
import { parseRule, parseRules } from './parse-rule.ts'
import { decideByRules, type Policy } from './policy.ts'

/** How a user can allow what was asked about. */
export interface Hint {
  /** Rules that allow it once they are added; empty if no rule does. */
  readonly rules: readonly string[]
  /** What to do instead, where there are none. */
  readonly advice: string
}

/** Every rule it names was tried: with them added to the policy, the same action is allowed. */
export function hintFor(action: Action, policy: Policy): Hint {
  const candidates = action.kind === 'run' ? candidatesFor(action, policy) : [[action.tool]]
  for (const rules of candidates) {
    const texts = [...new Set(rules)]
    if (texts.length > 0 && texts.every(isWritable) && isAllowedWith(texts, action, policy))
      return { rules: texts, advice: '' }
  }
  return { rules: [], advice: action.kind === 'run' ? ADVICE : 'No rule allows it while another rule is in force.' }
}

const ADVICE =
  'No rule covers this form of command. Run one plain command at a time: literal words, no variables, no substitution; ' +
  'write files with write_file.'

/** From the widest to the narrowest. */
function candidatesFor({ tool, command }: Extract<Action, { kind: 'run' }>, { root }: Policy): string[][] {
  const line = readLine(command, { folders: [root] })
  const of = (pattern: string) => `${tool}(${pattern})`
  const writes = line.steps.flatMap((step) => writtenBy(step, root))
  const steps = line.steps.flatMap(runBy).filter(({ words }) => !BARE.test(words[0]?.text ?? ''))
  if (line.unknown.length > 0 || steps.length === 0) return []
  const exact = steps.map(({ words }) => spell(words))
  const wide = steps.map((step, i) => patternFor(step) ?? exact[i]!)
  const isLiteral = (step: Step) => step.words.every(({ text }) => text !== undefined)
  const isKnown = steps.every((step) => isLiteral(step) || patternFor(step) !== undefined)
  const isShort = unknownIn(line) === undefined && command.length <= LONGEST && !command.trim().includes('\n')
  return [
    isKnown ? [...wide.map(of), ...writes] : [],
    steps.every(isLiteral) ? [...exact.map(of), ...writes] : [],
    isShort ? [of(command.trim())] : [],
  ]
}

/** Longer lines are no rules to write down. */
const LONGEST = 300

/** Need no rule of their own. */
const BARE = /^$|^(cd|true|false|:|exit|break|continue|set|test|\[|wait)$/

/** What a wrapper runs, in its place. */
function runBy(step: Step): Step[] {
  if (!TRANSPARENT.has(step.words[0]?.text ?? '') || step.runs.length === 0) return [step]
  return step.runs.flatMap(({ line }) => line.steps.flatMap(runBy))
}

function writtenBy({ redirections, folders }: Step, root: string): string[] {
  return redirections.flatMap(({ kind, target: { text } }) => {
    if (kind !== 'write' || text === undefined || /^\/dev\//.test(text)) return []
    return (folders ?? []).map((folder) => `write_file(${relative(root, placeOf(text, folder))})`)
  })
}

/** The pattern to propose for a command, where there is one that covers its everyday uses. */
export function patternFor({ words }: Pick<Step, 'words'>): string | undefined {
  const program = words[0]?.text
  return program !== undefined && isKnownProgram(program) ? `${program} *` : undefined
}

/** Can stand on a command line between others. */
function isWritable(rule: string): boolean {
  const parsed = orUndefined(() => parseRules(rule)) ?? []
  return parsed.length === 1 && parsed[0]!.text === rule
}

function isAllowedWith(rules: readonly string[], action: Action, policy: Policy): boolean {
  return decideByRules(action.tool, action, withRules(rules, policy)).decision === 'allow'
}

function withRules(rules: readonly string[], policy: Policy): Policy {
  const allow = [...policy.allow, ...rules.map(parseRule)]
  return { ...policy, allow, ...(policy.within && { within: withRules(rules, policy.within) }) }
}
