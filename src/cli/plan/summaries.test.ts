import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeExample, writeLines } from '../../../test/cli/plan-files.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const SUMMARY = 'p/03-01.summary.jsonl'
const isThere = () => existsSync(join(cli.dir, SUMMARY))

/** One plan with two tasks on the board, and a developer that works from the command line. */
async function load(): Promise<void> {
  writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1'), task('T2'))
  await cli.ok('plan load p')
  await cli.ok('team join ada --role dev')
}

async function complete(id: string, more = ''): Promise<void> {
  await cli.ok(`task claim ${id} --as ada`)
  await cli.ok(`task complete ${id} --as ada${more}`)
}

describe('the summary file of a plan', () => {
  it('appears with the end of the last task, and says what the journal says', async () => {
    await load()
    await complete('03-01/T1', ' --commit abc1234')
    expect(isThere()).toBe(false)
    await complete('03-01/T2')
    const text = cli.read(SUMMARY)
    expect(text.endsWith('}\n') && text.trim().split('\n').length === 1).toBe(true)
    expect(JSON.parse(text)).toEqual({
      ...{ p: '03', n: '01', t: 'Plan 01', s: 'complete', dt: '2027-01-15', tc: 2, tt: 2, ch: ['abc1234'] },
      ...{ fm: ['src/T1.ts', 'src/T2.ts'], dv: [], built: ['Do T1', 'Do T2'], tst: 'no_tests' },
    })
    expect(readdirSync(join(cli.dir, 'p')).sort()).toEqual(['03-01.plan.jsonl', '03-01.summary.jsonl'])
  }) // C38, C39

  it('is written at once for a plan without tasks', async () => {
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'))
    await cli.ok('plan load p')
    expect(JSON.parse(cli.read(SUMMARY))).toMatchObject({ s: 'complete', tt: 0 })
  }) // C38

  it('is removed when a task is reopened, and written again after a failure', async () => {
    await load()
    await complete('03-01/T1')
    await complete('03-01/T2')
    await cli.ok('task update 03-01/T2 --status pending')
    expect(isThere()).toBe(false)
    await cli.ok('task claim 03-01/T2 --as ada')
    await cli.ok(['task', 'fail', '03-01/T2', '--as', 'ada', '--reason', 'no such API'])
    expect(JSON.parse(cli.read(SUMMARY))).toMatchObject({ s: 'partial', dv: ['03-01/T2 failed: no such API'] })
    await cli.ok('task update 03-01/T1 --status pending')
    await cli.ok('task claim 03-01/T1 --as ada')
    await cli.ok(['task', 'fail', '03-01/T1', '--as', 'ada', '--reason', 'no such file'])
    expect(JSON.parse(cli.read(SUMMARY))).toMatchObject({ s: 'failed', tc: 0, tt: 2, fm: [], built: [] })
  }) // C38, C39

  it('has the journal as its only source: a removed or altered file is rebuilt by the next change', async () => {
    await load()
    await complete('03-01/T1')
    await complete('03-01/T2')
    const written = cli.read(SUMMARY)
    for (const change of [
      () => rmSync(join(cli.dir, SUMMARY)),
      () => writeFileSync(join(cli.dir, SUMMARY), '{"s":"complete","tc":99}'),
      () => {
        rmSync(join(cli.dir, SUMMARY))
        symlinkSync('/etc/hostname', join(cli.dir, SUMMARY))
      },
    ]) {
      change()
      await cli.ok('plan load p')
      expect(cli.read(SUMMARY)).toBe(written)
    }
  }) // C39

  it('is not written through a link out of the workspace, and the command says so', async () => {
    await load()
    await complete('03-01/T1')
    const outside = join(cli.dir, '..', 'outside')
    mkdirSync(outside)
    renameSync(join(cli.dir, 'p'), join(cli.dir, 'moved'))
    symlinkSync(outside, join(cli.dir, 'p'))
    await cli.ok('task claim 03-01/T2 --as ada')
    const { code, stderr } = await cli.run('task complete 03-01/T2 --as ada')
    expect(code).toBe(0)
    expect(stderr).toContain('p/03-01.summary.jsonl is not written: its folder is outside of the workspace')
    expect(readdirSync(outside)).toEqual([])
  })

  it('cannot be written for a plan outside of the workspace, so that plan is not loaded', async () => {
    writeLines(join(cli.dir, '..'), 'elsewhere/03-01.plan.jsonl', header('01'), task('T1'))
    symlinkSync(join(cli.dir, '..', 'elsewhere'), join(cli.dir, 'p'))
    for (const folder of ['p', '../elsewhere']) {
      const { code, stderr } = await cli.run(`plan load ${folder}`)
      expect(code).toBe(1)
      expect(stderr).toContain('is outside of the workspace')
    }
    expect(await cli.json('task list')).toEqual([])
  })

  it('keeps a plan that is complete on another board from being loaded again', async () => {
    await load()
    await complete('03-01/T1')
    await complete('03-01/T2')
    writeLines(cli.dir, 'p/03-02.plan.jsonl', header('02', { w: 2, d: ['03-01'] }), task('T1'))
    await cli.ok('team create other')
    const { plans } = await cli.json('plan load p --team other')
    expect(plans).toEqual([
      { plan: '03-01', tasks: 2, note: expect.stringContaining('complete on the board of team default') },
      { plan: '03-02', tasks: 1 },
    ])
    expect(await cli.json('task show 03-02/T1 --team other')).toMatchObject({ waitsFor: [] })
    expect(isThere()).toBe(true)
  }) // C75

  it('does not count where the board knows better', async () => {
    await load()
    writeLines(cli.dir, 'q/04-01.plan.jsonl', header('01', { p: '04', xd: [{ p: '03', n: '01' }] }), task('T1'))
    writeLines(cli.dir, SUMMARY, { s: 'complete' })
    expect((await cli.run('plan load q')).stderr).toContain('plan 03-01 of another phase is not complete on the board')
    await complete('03-01/T1')
    await complete('03-01/T2')
    await cli.ok('plan load q')
  }) // C54
})

describe('a plan that another team has loaded', () => {
  const other = (words: string) => cli.run(`${words} --team other`)

  it('is refused with the name of that team, and loaded after that team is deleted', async () => {
    await load()
    await cli.ok('team create other')
    for (const command of ['plan load p', 'plan run p']) {
      const { code, stderr } = await other(command)
      expect([code, stderr]).toEqual([1, expect.stringContaining('plan 03-01 is loaded by team default')])
      expect(stderr).toContain('deskmates team delete default')
    }
    expect(await cli.json('task list --team other')).toEqual([])
    await cli.ok('team delete default')
    await cli.ok('plan load p --team other')
    expect(await cli.json('task list --team other')).toHaveLength(2)
  }) // C39

  it('is not replaced by a changed file, and the refusal says how the new one is loaded', async () => {
    await load()
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01', { t: 'Changed' }), task('T1'))
    const { code, stderr } = await cli.run('plan load p')
    expect([code, stderr]).toEqual([1, expect.stringContaining('from a file with other content. Change its tasks')])
    expect(stderr).toContain('delete its team (deskmates team delete TEAM) and load the new file')
    await cli.ok('team delete default')
    await cli.ok('plan load p')
    expect(await cli.json('task list')).toHaveLength(1)
  }) // C39

  it('is not loaded again once it is complete there, and stays refused while it is partial', async () => {
    await load()
    await complete('03-01/T1')
    await cli.ok('task claim 03-01/T2 --as ada')
    await cli.ok(['task', 'fail', '03-01/T2', '--as', 'ada', '--reason', 'no such API'])
    await cli.ok('team create other')
    expect((await other('plan load p')).stderr).toContain('is loaded by team default')
    await cli.ok('task update 03-01/T2 --status pending')
    await complete('03-01/T2')
    rmSync(join(cli.dir, SUMMARY))
    expect((await other('plan load p')).stderr).toContain('Plan 03-01 is complete on the board of team default')
    expect(await cli.json('task list --team other')).toEqual([])
  }) // C39

  it('is another plan in another folder', async () => {
    await load()
    writeLines(cli.dir, 'q/03-01.plan.jsonl', header('01'), task('T1'))
    await cli.ok('team create other')
    await cli.ok('plan load q --team other')
  })

  it('is refused to all but one of several teams that load it at the same time', async () => {
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1'))
    const teams = ['one', 'two', 'three']
    for (const team of teams) await cli.ok(`team create ${team}`)
    const ends = await Promise.all(teams.map((team) => cli.run(`plan load p --team ${team}`)))
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 1, 1])
    expect(readdirSync(join(cli.dir, 'p'))).toEqual(['03-01.plan.jsonl'])
  }) // C39
})

describe('a summary that no journal confirms', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: cli.dir })

  it('counts in a repository only as it is committed: commands of agents could have written it', async () => {
    cli.env.PATH = process.env.PATH
    git('init', '--quiet', '--template=')
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1'))
    writeLines(cli.dir, 'q/04-01.plan.jsonl', header('01', { p: '04', xd: [{ p: '03', n: '01' }] }), task('T1'))
    writeLines(cli.dir, 'p/03-02.plan.jsonl', header('02', { w: 2, d: ['03-01'] }), task('T1'))
    writeLines(cli.dir, SUMMARY, { s: 'complete' })
    const loads = ['plan load q', 'plan load p/03-02.plan.jsonl']
    for (const command of loads) expect((await cli.run(command)).stderr).toContain('which is not committed')
    git('add', SUMMARY)
    git('commit', '--quiet', '-m', 'docs: add the summary of 03-01')
    writeLines(cli.dir, SUMMARY, { s: 'complete', tc: 99 })
    for (const command of loads) expect((await cli.run(command)).stderr).toContain('differs from the committed one')
    git('checkout', '--quiet', SUMMARY)
    for (const command of loads) await cli.ok(command)
    expect((await cli.json('plan load p')).plans).toMatchObject([
      { note: expect.stringContaining('is complete by') },
      {},
    ])
  }) // C54, C75

  it('does not count where the journal of another team knows better', async () => {
    await load()
    writeLines(cli.dir, 'q/04-01.plan.jsonl', header('01', { p: '04', xd: [{ p: '03', n: '01' }] }), task('T1'))
    writeLines(cli.dir, SUMMARY, { s: 'complete' })
    await cli.ok('team create other')
    const { stderr } = await cli.run('plan load q --team other')
    expect(stderr).toContain('plan 03-01 of another phase is not complete on the board of team default')
    await complete('03-01/T1')
    await complete('03-01/T2')
    rmSync(join(cli.dir, SUMMARY))
    await cli.ok('plan load q --team other')
  }) // C54
})

describe('plan status', () => {
  it('shows waves, progress, owners, what each open task waits for, and summaries', async () => {
    writeExample(cli.dir)
    writeLines(
      cli.dir,
      'p/03-03.plan.jsonl',
      header('03', { w: 1 }),
      task('T1', { tp: 'checkpoint:human-verify', f: ['src/y.ts'] }),
      task('T2', { f: ['src/T1.ts'] }),
    )
    await cli.ok('plan load p')
    await cli.ok('team join ada --role dev')
    await cli.ok('task claim 03-01/T1 --as ada')
    const { teams } = await cli.json('plan status')
    expect(teams).toMatchObject([{ team: 'default', plans: [{ plan: '03-01' }, { plan: '03-03' }, { plan: '03-02' }] }])
    const [first, third, second] = teams[0].plans
    expect(first).toMatchObject({ wave: 1, folder: 'p', tasks: { total: 7, completed: 0 }, summary: null })
    expect(first.open[0]).toMatchObject({ task: '03-01/T1', state: 'working', owner: 'ada', waits_for: [] })
    expect(first.open[2]).toMatchObject({ task: '03-01/T3', state: 'blocked', waits_for: ['03-01/T1'] })
    expect(second.open[0]).toMatchObject({ state: 'blocked', waits_for: ['03-01'] })
    expect(third.open).toMatchObject([{ state: 'person' }, { state: 'files', waits_for: ['03-01/T1'] }])
    const text = await cli.ok('plan status --phase-dir p')
    for (const words of ['0 of 7 tasks completed', 'ada works on it', 'waits for a person', 'waits for 03-01 '])
      expect(text).toContain(words)
  }) // C42, C43

  it('finds the plans of every named team, of one folder, or of the team that is named', async () => {
    writeExample(cli.dir)
    await cli.ok('team create web')
    await cli.ok('plan load p --team web')
    writeLines(cli.dir, 'q/04-01.plan.jsonl', header('01', { p: '04' }))
    await cli.ok('plan load q')
    const teamsOf = async (words: string) =>
      (await cli.json(`plan status ${words}`)).teams.map(({ team }: { team: string }) => team)
    expect(await teamsOf('')).toEqual(['default', 'web'])
    expect(await teamsOf('--phase-dir p')).toEqual(['web'])
    expect(await teamsOf('--team web')).toEqual(['web'])
    expect(await teamsOf('--team default --phase-dir p')).toEqual([])
    expect((await cli.run('plan status --phase-dir none')).code).toBe(2)
    expect(await cli.ok('plan status')).toContain('complete: q/04-01.summary.jsonl')
  })

  it('reads only: a missing summary is not written', async () => {
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'))
    await cli.ok('plan load p')
    rmSync(join(cli.dir, SUMMARY))
    await cli.ok('plan status')
    expect(isThere()).toBe(false)
    expect((await cli.run('plan status --team default --phase-dir .')).stderr).toContain('No plan is loaded')
  })
})
