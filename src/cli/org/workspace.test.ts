import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'

const MAIN = '.deskmates/organisation/organisation.yaml'
const PHASE = '.yolo-planning/phases/03-api'

let cli: CommandHarness
let below: { cwd: string }
beforeEach(async () => {
  cli = commandHarness()
  await cli.ok('team create web')
  below = { cwd: join(cli.dir, 'src/api') }
  mkdirSync(below.cwd, { recursive: true })
  writeLines(cli.dir, join(PHASE, 'reqs.jsonl'), { id: 'R1', t: 'Users are listed' })
  writeLines(cli.dir, join(PHASE, '03-01.plan.jsonl'), header('01'), task('T1', { f: ['src/api/users.ts'] }))
})
afterEach(() => cli.close())

describe('commands of an organisation in a folder of the workspace', () => {
  it('write and find it in the workspace, with its planning configuration and phases', async () => {
    const { folder } = await cli.json('org init engineering', below)
    expect(folder).toBe(join(cli.dir, '.deskmates/organisation'))
    const config = { departments: { frontend: true }, department_workflow: 'parallel' }
    writeLines(cli.dir, '.yolo-planning/config.json', config)
    expect(await cli.json('org show', below)).toMatchObject({ active_depts: 'backend,frontend', fe_active: true })
    expect(await cli.json('org status', below)).toMatchObject({ phase: '03', departments: [{}, {}] })
    expect((await cli.json(['org', 'step', '1', '--phase-dir', join('../..', PHASE)], below)).step).toBe('critique')
    expect(await cli.json('org cleanup --reason complete', below)).toMatchObject({ removed: [] })
    const { stderr } = await cli.run(['org', 'run', join('../..', PHASE)], below)
    expect(stderr).toContain(`The organisation of ${cli.dir} is not trusted yet.`)
  }) // C10, C13

  it('name the place where they looked when there is none', async () => {
    for (const words of ['org show', 'org status', 'org gate all-depts']) {
      const { code, stderr } = await cli.run(words, below)
      expect(code).toBe(1)
      expect(stderr).toContain(`There is no organisation in ${join(cli.dir, '.deskmates/organisation')}.`)
      expect(stderr).toContain('deskmates org init engineering')
    }
  })
})

describe('plan status beside an organisation that is not valid', () => {
  const edit = (file: string, old: string, now: string) =>
    writeFileSync(join(cli.dir, file), readFileSync(join(cli.dir, file), 'utf8').replace(old, now))

  it('shows the plans, and names file, line and fix', async () => {
    await cli.ok('org init engineering')
    await cli.ok(['plan', 'load', PHASE])
    edit(MAIN, 'lead: yolo-fe-lead', 'lead: 3')
    const { code, stdout, stderr } = await cli.run('plan status')
    expect([code, stdout]).toEqual([1, expect.stringMatching(/03-01 .*0 of 1 task/)])
    expect(stderr).toMatch(/1 problem in the organisation\.\n.*organisation\.yaml:\d+: .*is 3\. Write the name/)
    const asJson = await cli.run('plan status --json', below)
    expect(asJson.code).toBe(1)
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      teams: [{ plans: [{ plan: '03-01' }] }],
      phases: [],
      problems: [{ file: join(cli.dir, MAIN), line: expect.any(Number), fix: expect.stringContaining('Write') }],
    })
  }) // F40

  it('does the same for a planning configuration that is not valid', async () => {
    await cli.ok('org init engineering')
    await cli.ok(['plan', 'load', PHASE])
    writeLines(cli.dir, '.yolo-planning/config.json', { departments: { mobile: true } })
    const { code, stdout, stderr } = await cli.run('plan status')
    expect([code, stdout]).toEqual([1, expect.stringMatching(/03-01 .*0 of 1 task/)])
    expect(stderr).toContain('no department mobile. Write some of: backend, frontend, uiux.')
  }) // F40
})

describe('org run', () => {
  it('names what is missing first: the organisation, then trust in it, then the phase', async () => {
    expect(await cli.run('org run')).toMatchObject({ code: 2, stderr: expect.stringContaining('org run') })
    const stderr = async () => (await cli.run('org run phases/04-ui')).stderr
    expect(await stderr()).toContain('Write its files with: deskmates org init engineering')
    await cli.ok('org init engineering')
    expect(await stderr()).toContain('is not trusted yet. Look at it with: deskmates org show --all')
    await cli.ok('trust')
    expect(await stderr()).toMatch(/phases\/04-ui cannot be used: it does not exist\. Name the folder of a phase/)
  }) // C13
})
