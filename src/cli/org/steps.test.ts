import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommandHarness } from '../../../test/cli/command-harness.ts'
import { work } from '../../../test/cli/example-agents.mjs'
import { PHASE, phaseHarness } from '../../../test/cli/phase-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'
import type { Compose } from '../../testing/harnesses/composed-model.ts'

const STEERED = `scripted:${fileURLToPath(new URL('../../../test/cli/steered-agents.mjs', import.meta.url))}`

let cli: CommandHarness
beforeEach(async () => {
  cli = await phaseHarness()
  for (const number of ['01', '02'])
    writeLines(
      cli.dir,
      join(PHASE, `03-${number}.plan.jsonl`),
      header(number),
      task('T1', { f: [`src/api/${number}.ts`] }),
    )
})
afterEach(() => cli.close())

function run(steer: Compose, ...more: readonly string[]) {
  Object.assign(globalThis, { steer })
  const words = ['org', 'run', PHASE, '-m', STEERED, '--permission-mode', 'acceptEdits', '--sandbox', 'off']
  return cli.run([...words, ...more], { env: { ...cli.env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' } })
}

/** The artefacts that the agents of each role are given to read, in the order of the steps. */
const READS: Record<string, readonly string[]> = {
  critic: ['reqs.jsonl'],
  architect: ['critique.jsonl', 'reqs.jsonl'],
  senior: ['03-01.plan.jsonl', '03-02.plan.jsonl', 'architecture.toon'],
  tester: ['03-01.plan.jsonl', '03-02.plan.jsonl'],
  dev: ['03-01.plan.jsonl', '03-02.plan.jsonl', 'test-plan.jsonl'],
  qa: ['code-review.jsonl', 'plan.jsonl', 'summary.jsonl'].flatMap((name) => [`03-01.${name}`, `03-02.${name}`]).sort(),
  'qa-code': ['code-review.jsonl', 'summary.jsonl']
    .flatMap((name) => [`03-01.${name}`, `03-02.${name}`])
    .concat('test-plan.jsonl')
    .sort(),
  security: ['03-01.summary.jsonl', '03-02.summary.jsonl', 'architecture.toon'],
}

describe('the steps of a department', { timeout: 120_000 }, () => {
  it.each(['task', 'teammate'])(
    'give each role its artefacts only, and each plan a reviewer at the same time, in %s mode',
    async (mode) => {
      writeLines(cli.dir, '.yolo-planning/config.json', { team_mode: mode, security_audit: true })
      const given: Record<string, string[]> = {}
      const reviewers = new Set<string>()
      let letBoth = () => {}
      const areBothAsked = new Promise<void>((resolve) => {
        letBoth = resolve
      })
      const { code, stderr } = await run(async ({ agent, turns }) => {
        const text = JSON.stringify(turns)
        const brief = text.slice(text.lastIndexOf('<task id=')).split('</task>')[0] ?? ''
        const role =
          / as (?:[\w-]+)/.exec(brief)?.[0].slice(4) ?? (brief.includes('Objective of the plan') ? 'dev' : '')
        const [, reads = ''] = /Read:((?:\\n- [^\\]+)+)/.exec(brief) ?? []
        given[role] ??= [...reads.matchAll(/03-api\/([^\\]+)/g)].map(([, name = '']) => name)
        if (brief.includes('Step 7 code_review')) {
          reviewers.add(agent)
          if (reviewers.size === 2) letBoth()
          await areBothAsked
        }
        return work(turns)
      })
      expect([code, stderr]).toEqual([0, expect.stringContaining('gate all-depts-complete is passed')])
      for (const [role, reads] of Object.entries(READS)) expect([role, given[role]]).toEqual([role, reads])
    },
  ) // C76, C77

  it('leave out 1, 2, 5, 8 and 9 only; a step that is mandatory or unknown is named', async () => {
    const develop: Compose = ({ turns }) => work(turns)
    for (const [step, why] of [
      ...([
        [3, 'step 3 (planning) is mandatory'],
        [4, 'step 4 (design_review) is'],
      ] as const),
      ...([
        [6, 'step 6 (implementation) is'],
        [7, 'step 7 (code_review) is'],
        [10, 'step 10 (signoff) is'],
      ] as const),
      ...([[11, 'there is no step 11']] as const),
    ]) {
      const { code, stderr } = await run(develop, '--skip', `1,${step}`)
      expect([code, stderr]).toEqual([2, expect.stringContaining(`--skip: ${why}`)])
      expect(stderr).toContain('Steps that can be left out: 1, 2, 5, 8, 9.')
    }
    expect(await cli.json('team list')).toEqual([])
    expect((await run(develop, '--skip', '1,2,5,8,9')).code).toBe(0)
    const { steps } = await cli.json('org status')
    const skipped = Object.entries(steps.backend).filter(
      ([, step]) => (step as { status: string }).status === 'skipped',
    )
    expect(skipped.map(([name]) => name)).toEqual(['critique', 'architecture', 'test_authoring', 'qa', 'security'])
  }) // C74
})
