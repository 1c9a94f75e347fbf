import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommandHarness } from '../../../test/cli/command-harness.ts'
import { PHASE, phaseHarness } from '../../../test/cli/phase-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'

const ANSWERING = `scripted:${fileURLToPath(new URL('../../../test/cli/answering-agents.mjs', import.meta.url))}`
const FAILING = `scripted:${fileURLToPath(new URL('../../../test/cli/failing-answers.mjs', import.meta.url))}`

let cli: CommandHarness
beforeEach(async () => {
  cli = await phaseHarness()
  writeLines(cli.dir, '.yolo-planning/config.json', { departments: { backend: true }, team_mode: 'task' })
})
afterEach(() => cli.close())

async function run(action: string) {
  writeLines(cli.dir, join(PHASE, '03-01.plan.jsonl'), header('01'), task('T1', { f: ['src/api/users.ts'], a: action }))
  const more = ['--skip', '1,2,5,8,9', '--permission-mode', 'acceptEdits', '--sandbox', 'off', '-m', ANSWERING]
  const { code, stderr } = await cli.run(['org', 'run', PHASE, ...more])
  const transcript = cli.read('.teams/yolo-backend/transcripts/dev-03-01-T1.jsonl')
  return { code, stderr, givenBack: transcript.split('Your answer was not accepted').length - 1, transcript }
}

describe('the answer of a one-shot agent', { timeout: 60_000 }, () => {
  it('that is no valid hand-off is given back with schema, field and fix, and then accepted', async () => {
    const { code, stderr, givenBack, transcript } = await run('list users')
    expect([code, stderr]).toEqual([0, expect.stringContaining('gate all-depts-complete is passed')])
    expect(givenBack).toBe(1)
    expect(transcript).toContain('The content is not a valid dev_progress: status: ')
  }) // C1

  it('that stays invalid fails its task and the step, which names schema, field and fix', async () => {
    const { code, stderr, givenBack } = await run('stubborn')
    expect(code).toBe(4)
    expect(givenBack).toBe(1)
    expect(stderr).toContain('its answer was refused twice. The content is not a valid dev_progress: status: ')
    expect(stderr).toContain('Write a JSON object with the fields task, plan_id, commit, status, concerns.')
    const { departments } = await cli.json('org status')
    expect(departments).toMatchObject([
      { dept: 'backend', status: 'failed', error: expect.stringContaining('dev_progress: status: ') },
    ])
    expect(JSON.parse(cli.read(join(PHASE, '03-01.summary.jsonl')))).toMatchObject({ tc: 0 })
    const { phases, teams } = await cli.json('plan status')
    expect(phases).toEqual([await cli.json('org status')])
    expect(phases[0].steps.backend).toMatchObject({
      implementation: { status: 'failed' },
      critique: { status: 'skipped' },
    })
    expect(teams).toMatchObject([{ team: 'yolo-backend', plans: [{ plan: '03-01' }] }])
    const shown = await cli.ok(['plan', 'status', '--phase-dir', PHASE])
    for (const words of [/03-01 .*0 of 1 task/, /all-depts-complete +waits/, /backend +implementation +failed/])
      expect(shown).toMatch(words)
  }) // C1, C60

  it('that limits cut off again and again is recorded once, and a FAIL in it still counts', async () => {
    writeLines(cli.dir, join(PHASE, '03-01.plan.jsonl'), header('01'), task('T1', { f: ['src/api/users.ts'] }))
    const more = ['--skip', '1,2,9', '--permission-mode', 'acceptEdits', '--sandbox', 'off', '-m', FAILING]
    const runs: string[] = []
    for (let i = 0; i < 60 && !runs.at(-1)?.includes('qa failed: qa_result'); i++)
      runs.push((await cli.run(['org', 'run', PHASE, ...more, '--max-turns', '6'])).stderr)
    expect(runs.at(-1)).toMatch(/qa_result of qa-\S+ says FAIL, verification\.jsonl says PASS/)
    const lines = (await cli.ok('log --handoffs --json --team yolo-backend')).trim().split('\n')
    const types = lines.map((line) => JSON.parse(line).type as string)
    const count = (wanted: string) => types.filter((type) => type === wanted).length
    expect([count('dev_progress'), count('test_plan_result'), count('qa_result')]).toEqual([1, 1, 2])
  }) // C1, C76

  it('is recorded like the hand-off of a teammate, and a FAIL in it counts like one in a message', async () => {
    writeLines(cli.dir, join(PHASE, '03-01.plan.jsonl'), header('01'), task('T1', { f: ['src/api/users.ts'] }))
    const more = ['--skip', '1,2,9', '--permission-mode', 'acceptEdits', '--sandbox', 'off', '-m', FAILING]
    const { code, stderr } = await cli.run(['org', 'run', PHASE, ...more])
    expect([code, stderr]).toEqual([4, expect.stringContaining('step 8 qa failed: qa_result of qa-')])
    expect(stderr).toMatch(/qa_result of qa-\S+ says FAIL, verification\.jsonl says PASS: the stricter one counts/)
    expect(stderr).toContain('[ESCALATION] backend: qa to architect: step 8 (qa)')
    const lines = (await cli.ok('log --handoffs --json --team yolo-backend')).trim().split('\n')
    const sent = lines.map((line) => JSON.parse(line))
    const of = (wanted: string) => sent.filter(({ type }) => type === wanted)
    expect(of('dev_progress'), 'there is no senior, so no mail').toMatchObject([
      { author_role: 'dev', task: '03-01/T1', payload: { status: 'complete' } },
    ])
    expect(of('test_plan_result')).toMatchObject([{ author_role: 'tester', payload: { all_red: true } }])
    expect(of('qa_result'), 'one of each cycle').toHaveLength(2)
    for (const { author_role, payload } of of('qa_result'))
      expect([author_role, payload]).toEqual(['qa', expect.objectContaining({ result: 'FAIL' })])
    expect(JSON.parse(cli.read(join(PHASE, '03-01.summary.jsonl')))).toMatchObject({ s: 'complete', tst: 'red_green' })
    const journal = (await cli.ok('log --json --team yolo-backend')).trim().split('\n')
    const mailed = journal.map((line) => JSON.parse(line)).filter(({ message }) => message?.type === 'qa_result')
    expect(mailed.map(({ type, message }) => [type, message.to])).toEqual([
      ['message.sent', 'lead'],
      ['message.sent', 'lead'],
    ])
  }) // C1, C28, C76
})
