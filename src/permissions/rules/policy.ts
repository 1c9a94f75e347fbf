import { type HandOffFiles, isProtectedView } from '../../team/plans/plan-views.ts'
import { type FileLookup, fileSystem, remembered } from '../paths/file-lookup.ts'
import { isInside } from '../paths/places.ts'
import type { Action } from '../permission.ts'
import { type Line, unknownIn } from '../shell/line.ts'
import { either } from '../shell/match-command.ts'
import { readLine } from '../shell/read-line.ts'
import { type Allowed, type Allowing, allowsLine } from './allows-line.ts'
import { instructsAgents } from './instructing-files.ts'
import type { MODES } from './modes.ts'
import { parseRule, type Rule } from './parse-rule.ts'
import { allows, catches, catchesPath, namesTool, type ReadAction } from './rule.ts'

/**
 * default            reads; asks before it writes or runs
 * acceptEdits        reads and writes; asks before it runs
 * plan               reads; neither writes nor runs, whatever else allows it
 * dontAsk            as default, but what would be asked is denied
 * bypassPermissions  does everything that no rule denies or asks about
 */
export type Mode = (typeof MODES)[number]

export interface Policy {
  readonly mode: Mode
  readonly deny: readonly Rule[]
  readonly ask: readonly Rule[]
  readonly allow: readonly Rule[]
  /** What patterns of paths are relative to. */
  readonly root: string
  /** Finds where links lead; by default in the real file system. */
  readonly fileLookup?: FileLookup
  /** For agents that only read: they never write, and what they run needs a rule or an answer in every mode. */
  readonly isReadOnly?: boolean
  /** Files of hand-offs, which the runtime writes. */
  readonly handOffFiles?: HandOffFiles
  /** The policy of the agent that started this one; see `narrow`. */
  readonly within?: Policy
}

export interface RuleDecision {
  readonly decision: 'allow' | 'ask' | 'deny'
  /** The rule that decided, as the user wrote it. */
  readonly rule?: string
  /** What decided, for the person who is asked or the agent that is refused. */
  readonly why: string
  /** No rule settles it, so a person has to allow it; in the mode dontAsk that is denied. */
  readonly needsPerson?: true
}

/** Deny first, then ask, then allow; where no rule matches, the mode decides. Resolves links and keeps no state. */
export function decideByRules(tool: string, action: Action | undefined, policy: Policy): RuleDecision {
  if (action?.kind !== 'run') return judgeAsked(tool, action, policy)
  const fileLookup = remembered(policy.fileLookup ?? fileSystem)
  return judgeAsked(tool, { ...action, line: lineOf(action.command, policy) }, { ...policy, fileLookup })
}

function lineOf(command: string, { root }: Policy): Line {
  return readLine(command, { folders: [root] })
}

/** The policy of a subagent: whatever it says itself, it never allows more than that of the agent that started it. */
export function narrow(above: Policy, own: Policy): Policy {
  return { ...own, within: own.within ? narrow(above, own.within) : above }
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 }

function judgeAsked(tool: string, action: ReadAction | undefined, policy: Policy): RuleDecision {
  const own = judgeAlone(tool, action, policy)
  if (!policy.within) return own
  const above = judgeAsked(tool, action, policy.within)
  return STRICTNESS[above.decision] > STRICTNESS[own.decision] ? above : own
}

function judgeAlone(tool: string, action: ReadAction | undefined, policy: Policy): RuleDecision {
  const { mode, root, isReadOnly = false } = policy
  const changes = action !== undefined && action.kind !== 'read'
  const matchesOf = (rules: readonly Rule[]) =>
    rules.map((rule) => ({ rule, match: catches(rule, tool, action, root, policy.fileLookup) }))
  const [denying, asking] = [matchesOf(policy.deny), matchesOf(policy.ask)]

  const denied = denying.find(({ match }) => match === 'yes')?.rule
  if (denied) return { decision: 'deny', rule: denied.text, why: `the rule ${denied.text} denies it` }
  if (mode === 'plan' && changes)
    return { decision: 'deny', why: 'plan mode neither writes nor runs anything; say what you would do instead' }
  if (isReadOnly && action?.kind === 'write')
    return { decision: 'deny', why: 'this agent only reads; say what should be changed instead' }
  const asked = asking.find(({ match }) => match === 'yes')?.rule
  if (asked) return unanswered(mode, `the rule ${asked.text} wants it to be asked`, asked.text)
  const unsure = [...denying, ...asking].find(({ match }) => match === 'maybe')?.rule
  if (unsure) return unanswered(mode, `${doubt(action)}, so the rule ${unsure.text} may mean it`, unsure.text)
  const allowed = action?.kind === 'run' ? allowedRun(tool, action.line, policy) : allowedBy(tool, action, policy)
  if (allowed && 'rule' in allowed && allowed.rule)
    return { decision: 'allow', rule: allowed.rule.text, why: `the rule ${allowed.rule.text} allows it` }
  if (!changes) return { decision: 'allow', why: 'reading inside the workspace needs no permission' }
  if (mode === 'bypassPermissions' && !isReadOnly)
    return { decision: 'allow', why: 'the mode bypassPermissions allows it' }
  const instructs = action.kind === 'write' && instructsAgents(action.path)
  if (mode === 'acceptEdits' && action.kind === 'write' && !instructs)
    return { decision: 'allow', why: 'the mode acceptEdits allows it' }
  const why = allowed && 'why' in allowed && allowed.why !== 'no rule names it' ? ` (${allowed.why})` : ''
  if (instructs)
    return unanswered(mode, 'this file tells agents or tools what to do, so a rule that names it or a person allows it')
  return unanswered(mode, `no rule allows it${why}, and ${NEEDS[action.kind]} permission`)
}

const NEEDS = { write: 'writing needs', run: 'running a command needs', use: 'this tool needs' }

function doubt(action: ReadAction | undefined): string {
  const unknown = action?.kind === 'run' ? unknownIn(action.line) : undefined
  return unknown === undefined ? 'what it does is known only when it runs' : `it cannot be read to the end (${unknown})`
}

function unanswered(mode: Mode, why: string, rule?: string): RuleDecision {
  const decision = mode === 'dontAsk' ? 'deny' : 'ask'
  return { decision, why, needsPerson: true, ...(rule !== undefined && { rule }) }
}

function allowedBy(tool: string, action: Action | undefined, { allow, root }: Policy): Allowed {
  const isNamed = action?.kind === 'write' && instructsAgents(action.path)
  return { rule: allow.find((rule) => (rule.pattern !== undefined || !isNamed) && allows(rule, tool, action, root)) }
}

function allowedRun(tool: string, line: Line, policy: Policy): Allowed {
  const rules = policy.allow.filter((rule) => rule.pattern !== undefined && rule.tools.includes(tool.toLowerCase()))
  const whole = policy.allow.find((rule) => namesTool(rule, tool))
  return whole ? { rule: whole } : allowsLine(line, { ...allowingOf(policy), rules })
}

/** Where a redirection may lead: where a file tool may go without asking. */
function allowingOf(policy: Policy): Omit<Allowing, 'rules'> {
  const isOpen = (path: string) =>
    isInside(policy.root, path) && !isNeverWritten(path.slice(policy.root.length), policy)
  const decisionOf = (path: string) =>
    decideByRules('write_file', { kind: 'write', tool: 'write_file', path }, policy).decision
  const isDeniedOrAsked = (path: string) =>
    [...policy.deny, ...policy.ask].some((rule) => catchesPath(rule, 'write', path, policy.root))
  return {
    root: policy.root,
    fileLookup: policy.fileLookup ?? fileSystem,
    mayWrite: (path) => isOpen(path) && decisionOf(path) === 'allow',
    mayRead: (path) =>
      isOpen(path) &&
      decideByRules('read_file', { kind: 'read', tool: 'read_file', path }, policy).decision === 'allow',
    mayChange: (path) => isOpen(path) && !isDeniedOrAsked(path),
  }
}

/** What file tools never write, whatever allows it; see `refuseWriting`. */
function isNeverWritten(path: string, { handOffFiles }: Policy): boolean {
  return (
    isProtectedView(path, handOffFiles) ||
    /(^|\/)(\.git|\.teams|\.tasks|\.deskmates|\.claude|\.agents|\.husky|\.githooks|deskmates\.ya?ml)(\/|$)|^\/?(agents|skills)(\/|$)/i.test(
      path,
    )
  )
}

/** A tool that is denied as such is not even offered. */
export function isOffered(tool: string, { deny, within }: Policy): boolean {
  return !deny.some((rule) => namesTool(rule, tool)) && (within === undefined || isOffered(tool, within))
}

/** Whether a rule denies this file, judged by its real path. */
export function forbids({ deny, root, within }: Policy, kind: 'read' | 'write', path: string): boolean {
  return (
    deny.some((rule) => catchesPath(rule, kind, path, root)) || (within !== undefined && forbids(within, kind, path))
  )
}

/** A rule of the network: for all commands, or for those that match its pattern. */
const NETWORK = 'network'

/** Whether a command may reach the network, where a sandbox can keep it away: only if a rule allows it. */
export function mayUseNetwork(command: string, policy: Policy): boolean {
  const line = lineOf(command, policy)
  const about = (rules: readonly Rule[]) => rules.filter(({ tools }) => tools.includes(NETWORK))
  const stops = [...about(policy.deny), ...about(policy.ask)]
  const asked: ReadAction = { kind: 'run', tool: NETWORK, command, line }
  if (either(stops.map((rule) => catches(rule, NETWORK, asked, policy.root, policy.fileLookup))) !== 'no') return false
  const rules = about(policy.allow)
  // Where it writes was judged when the command was allowed.
  const anywhere = { mayRead: () => true, mayWrite: () => true }
  const patterned = rules.filter(({ pattern }) => pattern !== undefined)
  const allowed = allowsLine(line, { ...allowingOf(policy), ...anywhere, rules: patterned })
  const isAllowed = patterned.length < rules.length || ('rule' in allowed && allowed.rule !== undefined)
  return isAllowed && (policy.within === undefined || mayUseNetwork(command, policy.within))
}

/** Whether a rule denies the network to all commands, which only a sandbox can see to. */
export function deniesNetwork({ deny, within }: Policy): boolean {
  return deny.some((rule) => namesTool(rule, NETWORK)) || (within !== undefined && deniesNetwork(within))
}

/** What agents may do, as settings and options say it. The mode decides where no rule does; a deny rule always wins. */
export interface PermissionSettings {
  readonly mode?: Mode
  /** Rules such as `bash(git *)`, `edit_file(src/**)`, `network(npm install *)` or the name of a tool. */
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
}

export function policyOf(settings: PermissionSettings, root: string): Policy {
  const { mode = 'default', allow = [], ask = [], deny = [] } = settings
  return { mode, root, allow: allow.map(parseRule), ask: ask.map(parseRule), deny: deny.map(parseRule) }
}
