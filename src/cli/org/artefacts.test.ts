import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'

const AGENTS = `scripted:${fileURLToPath(new URL('../../../examples/engineering/agents.mjs', import.meta.url))}`
const FAILING = `scripted:${fileURLToPath(new URL('../../../test/cli/failing-frontend.mjs', import.meta.url))}`
const PHASE = '.yolo-planning/phases/03-api'
const MAIN = '.deskmates/organisation/organisation.yaml'

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
  await cli.ok('org init engineering')
  const config = { departments: { frontend: true }, department_workflow: 'parallel', team_mode: 'task' }
  writeLines(cli.dir, '.yolo-planning/config.json', config)
  writeLines(cli.dir, join(PHASE, 'reqs.jsonl'), { id: 'R1', t: 'Users are listed' })
  writeLines(cli.dir, join(PHASE, '03-01.plan.jsonl'), header('01'), task('T1', { f: ['src/api/users.ts'] }))
  writeLines(cli.dir, join(PHASE, '03-02.plan.jsonl'), header('02'), task('T1', { f: ['src/pages/users.tsx'] }))
})
afterEach(() => cli.close())

async function run(model: string) {
  await cli.ok('trust')
  const more = ['--skip', '5,9', '--permission-mode', 'acceptEdits', '--sandbox', 'off', '-m', model]
  return cli.run(['org', 'run', PHASE, ...more])
}

describe('departments of one phase', { timeout: 120_000 }, () => {
  it('leave artefacts of their own, which steps, scoping and gates follow', async () => {
    const file = join(cli.dir, MAIN)
    const gate = 'all-depts-complete: { aliases: [all-depts], departments: active,'
    writeFileSync(file, readFileSync(file, 'utf8').replace(gate, `${gate} artefacts: [verification.jsonl],`))
    const { code, stderr } = await run(AGENTS)
    expect([code, stderr]).toEqual([0, expect.stringContaining('gate all-depts-complete is passed')])
    const files = readdirSync(join(cli.dir, PHASE))
    for (const name of ['architecture.toon', 'critique.jsonl', 'qa-code.jsonl', 'verification.jsonl'])
      expect(files).toEqual(expect.arrayContaining([name, `fe-${name}`]))
    expect(files).toEqual(expect.arrayContaining(['03-01.code-review.jsonl', '03-02.fe-code-review.jsonl']))

    const tasks = await cli.json('task list --team yolo-frontend')
    const { id } = tasks.find(({ subject }: { subject: string }) => subject.includes('design_review'))
    const shown = JSON.stringify(await cli.json(`task show ${id} --team yolo-frontend`))
    expect(shown).toContain(`${PHASE}/fe-architecture.toon`)
    expect(shown, 'not that of the backend').not.toContain(`${PHASE}/architecture.toon`)
    const steps = (await cli.json('org status')).steps.frontend
    expect(steps.architecture.artifacts).toEqual([`${PHASE}/fe-architecture.toon`])
    const step = ['org', 'step', 'qa', '--end', '--department', 'frontend', '--phase-dir', PHASE]
    expect((await cli.json(step)).gate).toBe('pass')
    const reviewed = ['org', 'step', 'code_review', '--department', 'frontend', '--phase-dir', PHASE]
    expect((await cli.json(reviewed)).gate, 'its summaries are those of the journal').toBe('pass')

    writeFileSync(join(cli.dir, PHASE, 'fe-verification.jsonl'), '{"r":"fine"}\n')
    const { missing } = JSON.parse((await cli.run('org gate all-depts --json')).stdout)
    expect(missing).toEqual([expect.stringContaining('fe-verification.jsonl of frontend line 1: "tier"')])
    const { departments } = JSON.parse((await cli.run([...step, '--json'])).stdout)
    expect(departments[0].missing).toEqual([expect.stringContaining('fe-verification.jsonl: line 1: "tier"')])
  }) // C13, C40, C71, C75, C77

  it('are reviewed by their own artefacts: a FAIL of one does not touch the other', async () => {
    const { code, stderr } = await run(FAILING)
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('frontend: step 8 qa failed: fe-verification.jsonl: FAIL'),
    ])
    expect((await cli.json('org status')).departments).toMatchObject([
      { dept: 'frontend', status: 'failed' },
      { dept: 'backend', status: 'complete' },
    ])
  }) // C61, C76
})

describe('the artefacts of a phase', () => {
  const ARTEFACTS: Record<string, object> = {
    critique: { id: 'C1', cat: 'gap', sev: 'major', q: 'What about errors?' },
    research: { q: 'Which parser?', src: 'docs', finding: 'None needed' },
    reqs: { id: 'R1', t: 'Users are listed' },
    'test-plan': { id: 'T1', tf: ['test/a.ts'], tc: 3, red: true },
    verification: { tier: 'standard', r: 'PASS', ps: 1, fl: 0, tt: 1 },
    'qa-code': { r: 'PASS', tests: { ps: 3, fl: 0 } },
    'code-review': { plan: '03-01', r: 'approve', cycle: 1 },
    'security-audit': { r: 'PASS', findings: 0, critical: 0 },
    gaps: { id: 'G1', sev: 'minor', desc: 'no help text', st: 'open' },
    decisions: { ts: '2026-01-01', agent: 'dev', task: '03-01/T1', dec: 'zod', reason: 'in use', alts: [] },
    'manual-qa': { id: 'M1', r: 'pass' },
    'design-tokens': { cat: 'color', name: 'primary', val: '#00f' },
    'component-specs': { name: 'Button', desc: 'Starts an action', states: ['default'], status: 'ready' },
    'user-flows': { id: 'F1', name: 'login', steps: ['open', 'submit'] },
  }
  const names = Object.keys(ARTEFACTS).map((name) => `${name}.jsonl`)

  it('are each checked by their format, and a gate says which one is missing or wrong, and where', async () => {
    const file = join(cli.dir, MAIN)
    const gate = `gates:\n  documents: { blocking: false, artefacts: [${names.join(', ')}] }\n`
    writeFileSync(file, readFileSync(file, 'utf8').replace('gates:\n', gate))
    const missing = async () => JSON.parse((await cli.run('org gate documents --json')).stdout).missing
    writeLines(cli.dir, '.yolo-planning/config.json', { team_mode: 'task' })
    rmSync(join(cli.dir, PHASE, 'reqs.jsonl'))
    const each = (problem: string) => names.map((name) => expect.stringMatching(new RegExp(`^${name}: .*${problem}`)))
    expect(await missing()).toEqual(each('is missing$'))
    for (const name of names) writeFileSync(join(cli.dir, PHASE, name), '{"other":1}\n')
    expect(await missing()).toEqual(each('line 1: "'))
    for (const name of names) writeFileSync(join(cli.dir, PHASE, name), '{"id":')
    expect(await missing()).toEqual(each('line 1: is not JSON$'))
    for (const [name, line] of Object.entries(ARTEFACTS)) writeLines(cli.dir, join(PHASE, `${name}.jsonl`), line)
    expect(await cli.ok('org gate documents')).toBe('Gate documents is passed.\n')
  }) // C40
})
