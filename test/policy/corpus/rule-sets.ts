import { parseRule } from '../../../src/permissions/rules/parse-rule.ts'
import { decideByRules, mayUseNetwork, type Policy } from '../../../src/permissions/rules/policy.ts'

/**
 * What a rule set promises, checked after a line that it allows really ran:
 * code      no program that the rules do not name has run, nothing outside the workspace changed, and nothing that decides what git runs
 * files     no file of the workspace changed, except below `src`, where the rules allow writing
 * secret    the content of denied files appears nowhere
 * precious  the denied program did not remove the file
 * infra     the denied folder is as it was
 * remote    nothing was pushed
 */
export type Guard = 'code' | 'files' | 'secret' | 'precious' | 'infra' | 'remote'

export interface RuleSet {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly mode: Policy['mode']
  readonly guards: readonly Guard[]
  /** The rules are about the network: ask whether the line may use it. */
  readonly isNetwork?: boolean
}

const bash = (programs: string) => programs.split(/\s+/).map((program) => `bash(${program} *)`)
const allowing = (allow: readonly string[], guards: readonly Guard[]): RuleSet => ({
  allow,
  deny: [],
  mode: 'default',
  guards,
})
/** The strongest form of a deny rule: everything else is allowed. */
const denying = (deny: readonly string[], guards: readonly Guard[]): RuleSet => ({
  allow: [],
  deny,
  mode: 'bypassPermissions',
  guards,
})

const READERS = bash(
  'cat ls head tail wc grep rg egrep fgrep echo printf pwd test stat file diff cmp cut tr uniq du basename dirname realpath readlink date jq which type tree comm nl od xxd true false sleep seq expr id uname hostname sha256sum md5sum paste column less more strings df ps',
)

export const ruleSets = {
  'npm-test': allowing(['bash(npm test)'], ['code', 'files']),
  npm: allowing(['bash(npm *)'], ['code']),
  git: allowing(['bash(git *)'], ['code']),
  read: allowing(READERS, ['code', 'files']),
  text: allowing([...READERS, ...bash('sed awk sort tar find xargs tee split')], ['code', 'files']),
  wrap: allowing(
    [
      ...READERS,
      'bash(npm test)',
      ...bash('env timeout nice nohup time command exec sudo setsid stdbuf ionice builtin'),
    ],
    ['code', 'files'],
  ),
  shells: allowing([...READERS, 'bash(npm test)', ...bash('bash sh dash eval source .')], ['code', 'files']),
  write: allowing([...READERS, ...bash('mkdir touch cp mv ln tee git'), 'edit(src/**)'], ['code', 'files']),
  tools: allowing(
    [
      ...READERS,
      'bash(node scripts/x.mjs)',
      ...bash('npx tsc'),
      'bash(npx tsc *)',
      'bash(python3 -m pytest *)',
      'bash(make test)',
      'bash(cargo test *)',
    ],
    ['code', 'files'],
  ),
  'deny-rm': denying(['bash(rm *)'], ['precious']),
  'deny-read': denying(['read_file(.env)', 'read_file(secrets/**)'], ['secret']),
  'deny-write': denying(['edit(infra/**)'], ['infra']),
  'deny-push': denying(['bash(git push *)'], ['remote']),
  mcp: allowing(['mcp__*', 'mcp__bash', 'mcp__files__bash'], ['code', 'files']),
  network: { ...allowing(['network(npm install *)'], ['code']), isNetwork: true },
} satisfies Record<string, RuleSet>

export type RuleSetName = keyof typeof ruleSets

export function isRuleSet(name: string): name is RuleSetName {
  return Object.hasOwn(ruleSets, name)
}

export function policyOf({ allow, deny, mode }: RuleSet, root: string): Policy {
  return { mode, root, allow: allow.map(parseRule), ask: [], deny: deny.map(parseRule) }
}

/** Thousands of lines are judged by the same few policies. */
const policies = new Map<string, Policy>()

function knownPolicyOf(set: RuleSet, root: string): Policy {
  const key = JSON.stringify([set, root])
  const policy = policies.get(key) ?? policyOf(set, root)
  policies.set(key, policy)
  return policy
}

export function isAllowed(command: string, set: RuleSet, root: string): boolean {
  const policy = knownPolicyOf(set, root)
  if (set.isNetwork) return mayUseNetwork(command, policy)
  return decideByRules('bash', { kind: 'run', tool: 'bash', command }, policy).decision === 'allow'
}
