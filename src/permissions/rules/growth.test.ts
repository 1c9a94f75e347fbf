import { describe, expect, it } from 'vitest'
import { parseRule } from './parse-rule.ts'
import { decideByRules, type Policy } from './policy.ts'

const policy: Policy = {
  mode: 'default',
  root: '/w',
  allow: ['bash(cat *)', 'bash(* a* b*c)', 'bash(git *)', 'bash(docker *)', 'edit(src/**)'].map(parseRule),
  ask: [parseRule('bash(*a*a*a*b)')],
  deny: ['bash(rm *)', 'read_file(*a*a*b)', 'read_file(a/**/b/**/c)', 'edit(infra/**)'].map(parseRule),
}

/** Each makes a line of about so many characters that once took more than linear time, or might. */
const families: Readonly<Record<string, (length: number) => string>> = {
  'names in one word': (length) => `cat ${'a=,:@'.repeat(length / 5)}`,
  'stars in one word': (length) => `cat ${'*a'.repeat(length / 2)}b`,
  'one long name': (length) => `cat ${'a'.repeat(length)}`,
  'many words': (length) => `cat ${'a '.repeat(length / 2)}`,
  'many steps of a path': (length) => `cat ${'a/'.repeat(length / 2)}`,
  'open braces': (length) => `echo ${'{a,'.repeat(length / 3)}`,
  'closed braces': (length) => `echo ${'{a,b}'.repeat(length / 5)}`,
  'many commands': (length) => 'ls;'.repeat(length / 3),
  'many pipes': (length) => `${'ls|'.repeat(length / 3)}ls`,
  'nested substitutions': (length) => `echo ${'$('.repeat(length / 2)}`,
  'many substitutions': (length) => `echo ${'$(a)'.repeat(length / 4)}`,
  backquotes: (length) => `echo ${'`a`'.repeat(length / 3)}`,
  'tails of a wrapper': (length) => `docker ${'rm '.repeat(length / 3)}`,
  'tails with options': (length) => `ssh ${'git -a '.repeat(length / 7)}`,
  'runs of find': (length) => `find . ${'-exec a \\; '.repeat(length / 11)}`,
  'a loop over many words': (length) =>
    `for f in ${'a '.repeat(length / 4)}; do ${'cat "$f";'.repeat(length / 36)} done`,
  'many heredocs': (length) => 'cat <<E\na\nE\n'.repeat(length / 12),
  'a quoted heredoc': (length) => `cat <<'E'\n${'{a,'.repeat(length / 3)}\nE`,
  backslashes: (length) => `echo ${'\\\\'.repeat(length / 2)}`,
  arithmetic: (length) => `echo $((${'1+'.repeat(length / 2)}1))`,
  'a sed script': (length) => `sed '${'s/a/b/;'.repeat(length / 7)}' x`,
}

function timeOf(command: string): number {
  const begin = process.cpuUsage()
  decideByRules('bash', { kind: 'run', tool: 'bash', command }, policy)
  const { user, system } = process.cpuUsage(begin)
  return user + system
}

/** Below some milliseconds only the clock is measured. */
const MIN_US = 4000
const MAX_ROUNDS = 60

/**
 * Processor time for twice the length, as a multiple. The least of several measurements, because a busy machine and the garbage collector
 * only add to them: they are repeated until the multiple is small enough, and what really grows faster stays too large.
 */
function growthOf(family: (length: number) => string, enough: number): number {
  let [half, whole] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < MAX_ROUNDS; round++) {
    half = Math.min(half, timeOf(family(7500)))
    whole = Math.min(whole, timeOf(family(15_000)))
    if (round >= 2 && whole / Math.max(half, MIN_US) < enough) break
  }
  return whole / Math.max(half, MIN_US)
}

describe('deciding about a command line', () => {
  it.for(Object.keys(families))('takes at most 2.5 times as long for a line of twice the length: %s', (name) => {
    expect(growthOf(families[name]!, 2.5)).toBeLessThan(2.5)
  }) // T16

  it('reads no line of more than 16 KB outside of quoted heredocs, and none nested over 50 deep', () => {
    const decision = (command: string) =>
      decideByRules('bash', { kind: 'run', tool: 'bash', command }, { ...policy, ask: [], deny: [] }).decision
    expect(decision(`cat ${'a'.repeat(15_000)}`)).toBe('allow')
    expect(decision(`cat ${'a'.repeat(17_000)}`)).toBe('ask')
    expect(decision(`cat <<'E' > src/a\n${'{a,\n'.repeat(20_000)}E`)).toBe('allow')
    expect(decision(`cat <<E > src/a\n${'{a,\n'.repeat(20_000)}E`)).toBe('ask')
    expect(decision(`${'( '.repeat(40)}cat a${')'.repeat(40)}`)).toBe('allow')
    expect(decision(`${'( '.repeat(60)}cat a${')'.repeat(60)}`)).toBe('ask')
  }) // T16
})
