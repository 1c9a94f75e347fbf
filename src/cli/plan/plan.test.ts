import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeExample, writeLines } from '../../../test/cli/plan-files.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const write = (path: string, ...lines: object[]) => writeLines(cli.dir, path, ...lines)

describe('plan check', () => {
  it('says nothing on stdout and exits 0 for valid plans, and prints { valid, errors } with --json', async () => {
    writeExample(cli.dir)
    expect(await cli.run('plan check p')).toMatchObject({ code: 0, stdout: '' })
    expect(await cli.json('plan check p/03-01.plan.jsonl p/03-02.plan.jsonl')).toEqual({ valid: true, errors: [] })
  }) // C37

  it('exits 1 and lists every problem with file, line and fix', async () => {
    write('p/03-01.plan.jsonl', header('01', { t: '' }), task('T1', { f: ['/etc/x'] }), task('T2', { td: ['T9'] }))
    const { code, stdout } = await cli.run('plan check p')
    expect(code).toBe(1)
    const file = join(cli.dir, 'p/03-01.plan.jsonl')
    expect(stdout.trim().split('\n')).toEqual([
      `${file}:1: "t" is "", not a text that is not empty. Write "t":"…": the title of the plan.`,
      `${file}:2: "f" names "/etc/x", which is absolute. Write the path relative to the root of the workspace: "src/a.ts".`,
      `${file}:3: "td" names "T9", which is not a task of this plan. Name tasks of the same plan ("T1"); for another plan use "d" in the header.`,
    ])
    const { stdout: json } = await cli.run('plan check p --json')
    expect(JSON.parse(json)).toMatchObject({ valid: false, errors: [{ line: 1 }, { line: 2 }, { line: 3 }] })
  }) // C37, C56, F44

  it('refuses what is not there, is not a file, is not UTF-8, and a folder without plans', async () => {
    mkdirSync(join(cli.dir, 'empty'))
    execFileSync('mkfifo', [join(cli.dir, '03-05.plan.jsonl')])
    writeFileSync(join(cli.dir, '03-06.plan.jsonl'), Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))
    symlinkSync('loop', join(cli.dir, 'loop'))
    const { code, stdout } = await cli.run('plan check none 03-05.plan.jsonl 03-06.plan.jsonl empty loop')
    expect(code).toBe(1)
    for (const text of [
      'none:1: the file does not exist',
      'not a regular file',
      'not UTF-8',
      'holds no plan',
      'loop:1: the file cannot be read',
    ])
      expect(stdout).toContain(text)
  })

  it('takes a file that is named twice, also by a link, as one plan, and refuses an empty name', async () => {
    write('p/03-01.plan.jsonl', header('01'), task('T1'))
    symlinkSync(join(cli.dir, 'p/03-01.plan.jsonl'), join(cli.dir, '03-01.plan.jsonl'))
    const { code, stderr } = await cli.run('plan check p p/03-01.plan.jsonl ./p/ 03-01.plan.jsonl')
    expect([code, stderr]).toEqual([0, '1 plan with 1 task: no problem found.\n'])
    write('q/03-01.plan.jsonl', header('01'), task('T1'))
    expect((await cli.run('plan check p q')).stdout).toContain('plan 03-01 is also in')
    expect(await cli.run(['plan', 'check', 'p', ''])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has an empty name'),
    })
  })

  it('finds plans of other phases in the folders beside, and refuses unknown ones', async () => {
    write('phases/01-base/01-02.plan.jsonl', header('02', { p: '01' }))
    write('phases/03-api/03-01.plan.jsonl', header('01', { xd: [{ p: '01', n: '02' }] }))
    await cli.ok('plan check phases/03-api')
    write('phases/03-api/03-01.plan.jsonl', header('01', { xd: [{ p: '01', n: '07' }] }))
    expect((await cli.run('plan check phases/03-api')).stdout).toContain('"xd" names plan 01-07')
  }) // C54
})

describe('plan show', () => {
  it('prints groups, layers, critical path, file conflicts and parallelism', async () => {
    writeExample(cli.dir)
    const shown = await cli.json('plan show p')
    expect(shown.plans[0].groups).toEqual([
      { group: 1, tasks: ['T1', 'T2', 'T4', 'T5', 'T6', 'T7'] },
      { group: 2, tasks: ['T3'] },
    ])
    expect(shown.critical_path).toEqual(['03-01/T1', '03-01/T3', '03-02/T1'])
    expect(shown.conflicts).toEqual([{ task: '03-02/T2', with: '03-02/T1', path: 'src/x.ts' }])
    expect(shown.parallelism).toBe(6)
    const text = await cli.ok('plan show p')
    expect(text).toContain('critical path  3 tasks: 03-01/T1 → 03-01/T3 → 03-02/T1')
    expect(text).toContain('parallel       at most 6 tasks at the same time; 5 developers are started')
    expect(text).toContain('file conflict  03-02/T2 waits for 03-02/T1: both change src/x.ts')
  }) // C53, C55

  it('refuses plans with a problem and shows it', async () => {
    write('p/03-01.plan.jsonl', header('01'), task('T1', { td: ['T2'] }), task('T2', { td: ['T1'] }))
    const { code, stderr } = await cli.run('plan show p')
    expect(code).toBe(1)
    expect(stderr).toContain('tasks wait for each other in a circle: T1 -> T2 -> T1')
    write('p/03-01.plan.jsonl', header('01', { w: 2, d: ['03-02'] }), task('T1', { td: ['T1', 'T9'] }))
    write('p/03-02.plan.jsonl', header('02', { w: 2, d: ['03-01', '03-09'] }), task('T1'))
    const { stdout } = await cli.run('plan check p')
    for (const problem of [
      '03-01.plan.jsonl:1: plans wait for each other in a circle: 03-01 -> 03-02 -> 03-01.',
      '03-01.plan.jsonl:2: "td" names "T9", which is not a task of this plan.',
      '03-01.plan.jsonl:2: tasks wait for each other in a circle: T1 -> T1.',
      '03-02.plan.jsonl:1: "d" names plan 03-09, which is not there.',
    ])
      expect(stdout).toContain(problem)
  }) // C55, F44
})

describe('plan load', () => {
  it('puts the tasks on the board with their files and dependencies, and does nothing the second time', async () => {
    writeExample(cli.dir)
    expect(await cli.json('plan load p')).toEqual({
      team: 'default',
      plans: [
        { plan: '03-01', tasks: 7 },
        { plan: '03-02', tasks: 2 },
      ],
    })
    const shown = await cli.json('task show 03-01/T3')
    expect(shown).toMatchObject({ subject: 'Do T3', role: 'dev', blockedBy: ['03-01/T1'], files: ['src/T3.ts'] })
    expect(shown.description).toContain('Verify: v\nDone when: d')
    expect(await cli.json('task show 03-02/T1')).toMatchObject({
      blockedBy: ['03-01'],
      blocked_by: ['03-01/T1', '03-01/T2', '03-01/T3', '03-01/T4', '03-01/T5', '03-01/T6', '03-01/T7'],
    })
    expect((await cli.json('plan load p')).plans[0].note).toBe('Plan 03-01 is already loaded.')
    write('p/03-01.plan.jsonl', header('01', { t: 'Other' }))
    expect(await cli.refused('plan load p/03-01.plan.jsonl')).toBe('wrong_state')
  }) // C41, C42

  it('loads no task while a plan of another phase is not complete or its artefact is missing', async () => {
    write('phases/01-base/01-02.plan.jsonl', header('02', { p: '01' }))
    write(
      'phases/03-api/03-01.plan.jsonl',
      header('01', { xd: [{ p: '01', n: '02', a: 'docs/api.md', r: 'the contract' }] }),
      task('T1'),
    )
    const refused = async () => (await cli.run('plan load phases/03-api')).stderr
    expect(await refused()).toContain('plan 01-02 of another phase has no summary (the contract). Run 01-02 first')
    write('phases/01-base/01-02.summary.jsonl', { s: 'partial' })
    expect(await refused()).toContain('is not complete')
    writeFileSync(join(cli.dir, 'phases/01-base/01-02.summary.jsonl'), '{"s":"complete"')
    expect(await refused()).toMatch(/plan 01-02 of another phase .*01-02\.summary\.jsonl/)
    write('phases/01-base/01-02.summary.jsonl', { s: 'complete' })
    expect(await refused()).toContain('docs/api.md is missing')
    expect(await cli.json('task list')).toEqual([])
    write('docs/api.md')
    await cli.ok('plan load phases/03-api')
  }) // C54

  it('refuses a plan whose "d" is not loaded, and passes the wait on through an empty plan', async () => {
    writeExample(cli.dir)
    expect((await cli.run('plan load p/03-02.plan.jsonl')).stderr).toContain('neither loaded nor complete')
    write('q/03-01.plan.jsonl', header('01'), task('T1'))
    write('q/03-02.plan.jsonl', header('02', { w: 2, d: ['03-01'] }))
    write('q/03-03.plan.jsonl', header('03', { w: 3, d: ['03-02'] }), task('T1', { tp: 'checkpoint:human-verify' }))
    await cli.ok('plan load q')
    expect(await cli.json('task show 03-03/T1')).toMatchObject({ blockedBy: ['03-01'], role: 'person' })
  }) // C53
})

describe('plan scale', () => {
  it.each([
    ['0', '0'],
    ['1', '1'],
    ['5', '5'],
    ['7', '5'],
    ['10', '5'],
    ['100', '5'],
    ['99999999999999999999', '5'],
  ])('prints for %s available tasks %s developers', async (available, count) => {
    expect(await cli.ok(`plan scale --available ${available}`)).toBe(`${count}\n`)
  }) // C49, C51, F41

  it('subtracts developers that already work', async () => {
    expect(await cli.json('plan scale --available 7 --busy 3')).toEqual({ dev_count: 2, available: 7, busy: 3, cap: 5 })
  }) // F51

  it.each(['-1', '1.5', 'many', '', '1e3', '0x10'])('refuses %j', async (available) => {
    const { code, stdout, stderr } = await cli.run(['plan', 'scale', '--available', available])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('--available')])
  }) // C49

  it.each(['plan scale', 'plan scale --ready 3', 'plan scale --available 3 4'])(
    'refuses the command line %s, with its help',
    async (words) => {
      const { code, stdout, stderr } = await cli.run(words)
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('See: deskmates plan scale --help')])
    },
  ) // C49, C51
})

describe('plan mode', () => {
  const config = (value: unknown) => write('.yolo-planning/config.json', value as object)
  const env = (value?: string) => ({ env: { ...cli.env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: value } })

  it('prints mode, fallback, detection and the reason', async () => {
    expect(await cli.ok('plan mode')).toBe(
      'team_mode=task\nfallback_notice=false\nreason=there is no configuration, so roles run one-shot\n',
    )
    config({ team_mode: 'auto' })
    const text = await cli.ok('plan mode', env('1'))
    expect(text).toContain('team_mode=teammate\nfallback_notice=false\nauto_detected=true\nreason=')
    expect(await cli.json('plan mode', env('0'))).toMatchObject({
      team_mode: 'task',
      fallback_notice: true,
      auto_detected: false,
    })
  }) // C3, C4

  it.each([
    ['team_mode', 'bogus'],
    ['team_mode', ''],
    ['agent_teams', 'yes'],
    ['department_workflow', 3],
  ])('refuses a configuration whose %s is %j', async (key, value) => {
    config({ [key]: value })
    const { code, stderr } = await cli.run('plan mode')
    expect(code).toBe(1)
    expect(stderr).toContain(key)
  }) // C6, F40

  it.each([
    ['{"Team_Mode":"teammate"}', 'Team_Mode: it is written team_mode'],
    ['{"agent-teams":false}', 'agent-teams: it is written agent_teams'],
    ['{"autoCommit":false}', 'autoCommit: it is written auto_commit'],
    ['{"team_mode":"teammate","team_mode":"task"}', 'team_mode: it is there twice'],
  ])('refuses %s, which would have another effect than it says', async (text, named) => {
    write('.yolo-planning/config.json')
    writeFileSync(join(cli.dir, '.yolo-planning/config.json'), text)
    const { code, stderr } = await cli.run('plan mode')
    expect([code, stderr]).toEqual([1, expect.stringContaining(named)])
  }) // C6, F40

  it('reads a configuration with a byte order mark and keys of others, and waits for no pipe', async () => {
    write('.yolo-planning/config.json')
    const file = join(cli.dir, '.yolo-planning/config.json')
    writeFileSync(file, '\uFEFF{"team_mode":"task","model_profile":"quality"}')
    expect(await cli.json('plan mode')).toMatchObject({ team_mode: 'task', fallback_notice: false })
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]))
    expect((await cli.run('plan mode')).stderr).toContain('not UTF-8')
    rmSync(file)
    execFileSync('mkfifo', [file])
    expect((await cli.run('plan mode')).stderr).toContain('not a regular file')
  }) // C3, C6, F40

  it.each(['', '{', '[]', 'null'])('refuses a configuration file that holds %j', async (text) => {
    write('.yolo-planning/config.json')
    writeFileSync(join(cli.dir, '.yolo-planning/config.json'), text)
    const { code, stdout, stderr } = await cli.run('plan mode')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/config\.json is not (?:JSON|valid).*Correct/)
  }) // C6, F40
})
