import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decideByRules } from '../../../../src/permissions/rules/policy.ts'
import { policyOf, type RuleSet } from '../rule-sets.ts'
import { type Slot, withSlots } from '../slot.ts'
import { generateLine, seeded } from './grammar.ts'
import { makeRecordedPlace, type Started, startedIn } from './recorders.ts'

const IS_SOAK = process.env.DESKMATES_SOAK === '1'
const SEED = Number(process.env.DESKMATES_SEED ?? Math.floor(Math.random() * 2 ** 31))
/** Lines that are judged; about a third of them is allowed and runs. */
const LINES = Number(process.env.DESKMATES_LINES ?? (IS_SOAK ? 40_000 : 300))

const bash = (programs: string) => programs.split(' ').map((program) => `bash(${program} *)`)

const ALLOWING: RuleSet = {
  allow: [
    ...bash('ls cat grep head wc git echo sort find sed printf test env timeout nice xargs command'),
    'bash(npm test)',
    'edit(src/**)',
  ],
  deny: [],
  mode: 'default',
  guards: ['code', 'files'],
}
const DENYING: RuleSet = {
  allow: [],
  deny: ['bash(rm *)', 'bash(git status *)', 'bash(evil *)', 'bash(touch *)'],
  mode: 'bypassPermissions',
  guards: [],
}

const isAllowed = (command: string, set: RuleSet, root: string) =>
  decideByRules('bash', { kind: 'run', tool: 'bash', command }, policyOf(set, root)).decision === 'allow'
const quoted = (words: readonly string[]) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')

/** What a line did that the judge did not know, or nothing. */
async function surprisesOf(line: string, set: RuleSet, slot: Slot, usual: string): Promise<string[]> {
  if (!isAllowed(line, set, slot.root)) return []
  await slot.run(line, 10_000, { PATH: join(slot.dir, 'bin') })
  const started = startedIn(slot.dir)
  // The rules must allow each program that bash started, in the folder where it ran, had it been asked for in plain words.
  const unknown = started.filter(({ argv, cwd }) => {
    const at = cwd === slot.root ? '' : `cd ${quoted([cwd])} && `
    // It ran as a program, not as the builtin of this name, which can do more.
    const [program = '', ...rest] = argv
    const plain = program === 'test' || program === '[' ? `/usr/bin/${program}` : program
    return !isAllowed(`${at}${quoted([plain, ...rest])}`, set, slot.root)
  })
  const changed = set === ALLOWING ? started.filter(({ env }) => env.replaceAll(slot.dir, '') !== usual) : []
  const broken = slot.broken(set.guards, '')
  return [
    ...unknown.map(({ argv, cwd }) => `started ${quoted(argv)} in ${cwd}`),
    ...changed.map(({ argv, env }) => `${argv[0]} saw ${env}`),
    ...broken,
  ]
}

describe('a line that rules allow', () => {
  it('starts in bash only programs that the rules allow, with the words that were judged', async () => {
    console.log(`DESKMATES_SEED=${SEED}, ${LINES} lines`)
    const random = seeded(SEED)
    const lines = Array.from({ length: LINES }, (_, i) => generateLine(random, [0, 0.03, 0.1, 0.3][i % 4]!))
    let ran = 0
    let programs = 0
    const found = await withSlots(
      4,
      lines,
      async (line, slot) => {
        const surprises: string[] = []
        for (const set of [ALLOWING, DENYING]) {
          const more = await surprisesOf(line, set, slot, usualEnv)
          const calls: Started[] = startedIn(slot.dir)
          if (calls.length > 0) ran++
          programs += calls.length
          slot.restore()
          surprises.push(
            ...more.map(
              (one) => `seed ${SEED}, ${set === ALLOWING ? 'allow' : 'deny'}: ${JSON.stringify(line)} ${one}`,
            ),
          )
        }
        return surprises
      },
      makeRecordedPlace,
    )
    console.log(`${ran} lines started ${programs} programs`)
    expect(found.flat()).toEqual([])
    // Else nothing was compared.
    expect(ran).toBeGreaterThan(LINES / 10)
  }, 1_800_000) // T1, T2, T11
})

const usualEnv = 'PATH=/bin|HOME=/home|BASH_ENV=|ENV=|PS4=+ |CDPATH=|NODE_OPTIONS=|GIT_DIR=|LD_PRELOAD=|A=|x=|f='
