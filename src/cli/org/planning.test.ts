import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { writeLines } from '../../../test/cli/plan-files.ts'

const PLANNING = `scripted:${fileURLToPath(new URL('../../../test/cli/planning-leads.mjs', import.meta.url))}`

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
  await cli.ok('org init engineering')
  await cli.ok('trust')
  const config = { departments: { frontend: true }, department_workflow: 'parallel', team_mode: 'task' }
  writeLines(cli.dir, '.yolo-planning/config.json', config)
})
afterEach(() => cli.close())

function run(phase: string) {
  writeLines(cli.dir, join(phase, 'reqs.jsonl'), { id: 'R1', t: 'Users are listed' })
  const more = ['--skip', '1,2,5,8,9', '--permission-mode', 'acceptEdits', '--sandbox', 'off', '-m', PLANNING]
  return cli.run(['org', 'run', phase, ...more])
}

describe('plans that a lead writes', { timeout: 120_000 }, () => {
  it('come back with file, line and fix, and are done in the same run when they are valid', async () => {
    const phase = '.yolo-planning/phases/03-api'
    const { code, stderr } = await run(phase)
    expect([code, stderr]).toEqual([0, expect.stringContaining('gate all-depts-complete is passed')])
    for (const [id, team] of [
      ['03-01', 'yolo-backend'],
      ['03-02', 'yolo-frontend'],
    ]) {
      const said = cli.read(`.teams/${team}/transcripts/lead.jsonl`)
      expect(said.split('Your plan files were not accepted').length - 1).toBe(1)
      expect(said).toMatch(new RegExp(`${phase}/${id}\\.plan\\.jsonl:2: .*T9`))
      expect(JSON.parse(cli.read(join(phase, `${id}.summary.jsonl`)))).toMatchObject({ s: 'complete', tc: 1 })
    }
    expect(cli.read('src/api/users.ts')).toBe('03-01/T1\n')
  }) // C37, C74, C75

  it('fail the step with file, line and fix when they stay invalid; the next run asks the lead again', async () => {
    const phase = '.yolo-planning/phases/03-stubborn'
    const { code, stderr } = await run(phase)
    expect(code).toBe(4)
    expect(stderr).toMatch(
      /backend: step 3 planning failed: the plans were refused 3 times: .*03-01\.plan\.jsonl:2: .*T9/,
    )
    const again = await run(phase)
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('backend: step 3 planning started')])
  }) // C37, C74
})

describe('plans that a senior completes in step 4', { timeout: 120_000 }, () => {
  beforeEach(() => writeLines(cli.dir, '.yolo-planning/config.json', { team_mode: 'task' }))

  it('come back as a task with file, line and fix, and are implemented as they were corrected', async () => {
    const phase = '.yolo-planning/phases/03-reviewed'
    const { code, stderr } = await run(phase)
    expect([code, stderr]).toEqual([0, expect.stringContaining('gate all-depts-complete is passed')])
    const tasks: { subject: string; status: string; description: string; role: string }[] = await cli.json(
      'task list --team yolo-backend',
    )
    const corrections = tasks.filter(({ subject }) => subject.startsWith('Correction'))
    expect(corrections).toMatchObject([{ status: 'completed', role: 'senior' }])
    const given = await cli.ok(`task show ${(corrections[0] as unknown as { id: string }).id} --team yolo-backend`)
    expect(given).toMatch(/03-reviewed\/03-01\.plan\.jsonl:2: .*T8/)
    expect(cli.read(join(phase, '03-01.plan.jsonl'))).toContain('"td":[]')
    expect(JSON.parse(cli.read(join(phase, '03-01.summary.jsonl')))).toMatchObject({ s: 'complete', tc: 1 })
  }) // C37, C74

  it('fail step 4 with file, line and fix when they stay invalid, and no task of them is loaded', async () => {
    const { code, stderr } = await run('.yolo-planning/phases/03-broken')
    expect(code).toBe(4)
    expect(stderr).toMatch(
      /backend: step 4 design_review failed: the plans were refused 3 times: .*03-01\.plan\.jsonl:2: .*T8/,
    )
    expect(stderr).not.toContain('step 6 implementation started')
    const tasks: { id: string; subject: string }[] = await cli.json('task list --team yolo-backend')
    expect(tasks.filter(({ subject }) => subject.startsWith('Correction'))).toHaveLength(2)
    expect(tasks.filter(({ id }) => id.includes('/'))).toEqual([])
  }) // C37, C74
})
