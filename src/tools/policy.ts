import type { Wish } from '../ports/tool.ts'
import { allows, catches, catchesPath, namesTool, type Rule } from './rule.ts'

/**
 * default            reads; asks before it writes or runs
 * acceptEdits        reads and writes; asks before it runs
 * plan               reads; neither writes nor runs, whatever else allows it
 * dontAsk            as default, but what would be asked is denied
 * bypassPermissions  does everything no rule speaks against
 */
export const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const
export type Mode = (typeof MODES)[number]

export interface Policy {
  readonly mode: Mode
  readonly deny: readonly Rule[]
  readonly ask: readonly Rule[]
  readonly allow: readonly Rule[]
  /** What patterns of paths are relative to. */
  readonly root: string
  /** For agents that only look: they never write, and what they run needs a rule or an answer in every mode. */
  readonly isReadOnly?: boolean
}

export interface Verdict {
  readonly verdict: 'allow' | 'ask' | 'deny'
  /** The rule that decided, as the user wrote it. */
  readonly rule?: string
  /** What decided, in words for whoever is asked or refused. */
  readonly why: string
}

/** Deny first, then ask, then allow; where no rule speaks, the mode does. Pure: the same wish, the same verdict. */
export function judge(tool: string, wish: Wish | undefined, policy: Policy): Verdict {
  const { mode, root, isReadOnly = false } = policy
  const find = (rules: readonly Rule[], means: typeof catches) => rules.find((rule) => means(rule, tool, wish, root))
  const changes = wish !== undefined && wish.kind !== 'read'

  const denied = find(policy.deny, catches)
  if (denied) return { verdict: 'deny', rule: denied.text, why: `the rule ${denied.text} denies it` }
  if (mode === 'plan' && changes)
    return { verdict: 'deny', why: 'plan mode neither writes nor runs anything; say what you would do instead' }
  if (isReadOnly && wish?.kind === 'write')
    return { verdict: 'deny', why: 'this agent only looks; say what should be changed instead' }
  const asked = find(policy.ask, catches)
  if (asked) return unanswered(mode, `the rule ${asked.text} wants it to be asked`, asked.text)
  const allowed = find(policy.allow, allows)
  if (allowed) return { verdict: 'allow', rule: allowed.text, why: `the rule ${allowed.text} allows it` }
  if (!changes) return { verdict: 'allow', why: 'reading inside the workspace needs no leave' }
  if (mode === 'bypassPermissions' && !isReadOnly)
    return { verdict: 'allow', why: 'the mode bypassPermissions allows it' }
  if (mode === 'acceptEdits' && wish.kind === 'write')
    return { verdict: 'allow', why: 'the mode acceptEdits allows it' }
  return unanswered(mode, `no rule allows it, and ${NEEDS[wish.kind]} somebody's leave`)
}

const NEEDS = { write: 'writing needs', run: 'running a command needs', use: 'this tool needs' }

function unanswered(mode: Mode, why: string, rule?: string): Verdict {
  const verdict = mode === 'dontAsk' ? 'deny' : 'ask'
  return { verdict, why, ...(rule !== undefined && { rule }) }
}

/** A tool that is denied as such is not even offered. */
export function isOffered(tool: string, { deny }: Policy): boolean {
  return !deny.some((rule) => namesTool(rule, tool))
}

/** Whether a rule denies this file, for `ToolWorld.forbids`: judged by where a file really is. */
export function forbids({ deny, root }: Policy, kind: 'read' | 'write', path: string): boolean {
  return deny.some((rule) => catchesPath(rule, kind, path, root))
}
