import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeExample, writeLines } from '../../../test/cli/plan-files.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const DEVELOPER = `scripted:${fileURLToPath(new URL('../../../test/cli/plan-developer.mjs', import.meta.url))}`
const FIRST = ['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7'].map((id) => `03-01/${id}`)

/** Runs plans with the teammates of the source switched on. */
const run = (words: string, model = DEVELOPER) =>
  cli.run([...`plan run ${words} --permission-mode acceptEdits --sandbox off -m`.split(' '), model], {
    env: { ...cli.env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' },
  })

/** Does what the output says is to be done, word by word. */
async function advised(stderr: string): Promise<string[]> {
  const lines = [...stderr.matchAll(/^ {2}deskmates (.*)$/gm)].map(([, line = '']) => line.replace('NAME', 'grace'))
  for (const line of lines) await cli.ok(line)
  return lines
}

interface Shown {
  readonly type: string
  readonly id?: string
  readonly name?: string
}

/** Every event of the team, in order. */
async function eventsOf(team: string): Promise<Shown[]> {
  const lines = (await cli.ok(`log --team ${team} --json`)).trim().split('\n')
  return lines.map((line) => JSON.parse(line.replace(/^\[|\]$|,$/g, '') || '{}')).flatMap((one) => one.event ?? one)
}

/** What a plan run leaves: the board without names and times, the summaries, and the files. */
async function artefacts(team: string) {
  const board = (await cli.json(`task list --team ${team}`)).map(
    ({ id, status, result, commit, files }: Record<string, unknown>) => ({ id, status, result, commit, files }),
  )
  const files = ['src/T1.ts', 'src/T3.ts', 'src/x.ts', 'p/03-01.summary.jsonl', 'p/03-02.summary.jsonl']
  return { board, files: files.map((file) => cli.read(file)) }
}

describe('plan run', { timeout: 60_000 }, () => {
  it('does the example of the source with teammates that code starts, and calls no lead', async () => {
    writeExample(cli.dir)
    const { code, stdout, stderr } = await run('p --mode teammate --json')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('[FALLBACK]')])
    const { team, mode, plans } = JSON.parse(stdout)
    expect({ team, mode }).toEqual({ team: 'phase-03', mode: 'teammate' })
    expect(plans).toMatchObject([{ summary: { s: 'complete', tc: 7 } }, { summary: { s: 'complete', tc: 2 } }])
    const events = await eventsOf(team)
    const at = (type: string, id: string) => events.findIndex((event) => event.type === type && event.id === id)
    const lastOfFirst = Math.max(...FIRST.map((id) => at('task.completed', id)))
    expect(Math.min(at('task.claimed', '03-02/T1'), at('task.claimed', '03-02/T2'))).toBeGreaterThan(lastOfFirst)
    expect(at('task.claimed', '03-01/T3')).toBeGreaterThan(at('task.completed', '03-01/T1'))
    const joined = events
      .filter(({ type, name }) => type === 'member.joined' && name !== 'lead')
      .map(({ name }) => name)
    expect(new Set(joined)).toEqual(new Set(['dev-1', 'dev-2', 'dev-3', 'dev-4', 'dev-5']))
    expect(events.filter(({ type }) => type === 'task.completed')).toHaveLength(9)
    const { members } = await cli.json('team show phase-03')
    expect(members.filter(({ status }: { status: string }) => status !== 'stopped')).toMatchObject([{ name: 'lead' }])
    expect(await cli.ok('status phase-03')).not.toMatch(/lead +\S+ +lead +\d+ +\d/)
    const asked: { to: string; content: string; state: string }[] = await cli.json('requests --all --team phase-03')
    expect(asked.map(({ to }) => to).sort()).toEqual(['dev-1', 'dev-2', 'dev-3', 'dev-4', 'dev-5'])
    for (const { content, state } of asked)
      expect([state, content]).toEqual([
        'approved',
        expect.stringMatching(/^plan_complete: the work of team phase-03 /),
      ])
  }) // C1, C18, C25, C41, C46, C48, C50, C52, C53

  it('leaves the same board, summaries and files in task mode as in teammate mode', async () => {
    writeExample(cli.dir)
    expect((await run('p --mode teammate')).code).toBe(0)
    const withTeammates = await artefacts('phase-03')
    cli.close()
    cli = commandHarness()
    writeExample(cli.dir)
    expect((await run('p --mode task')).code).toBe(0)
    expect(await artefacts('phase-03')).toEqual(withTeammates)
    const events = await eventsOf('phase-03')
    expect(events.filter(({ type }) => type === 'task.completed')).toHaveLength(9)
    expect(events.some(({ type, name }) => type === 'member.joined' && name === 'dev-03-02-T2')).toBe(true)
    expect(await cli.json('requests --all --team phase-03'), 'there is nothing to shut down').toEqual([])
    expect((await cli.json('team show phase-03')).members).toMatchObject([{ name: 'lead' }])
  }) // C1, C24, C39

  it.each(['task', 'teammate'])('lets no developer write the summary of its plan in %s mode', async (mode) => {
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1'))
    const script = join(cli.dir, '..', 'forger.json')
    const content = JSON.stringify({ p: '03', s: 'complete', fm: ['forged'] })
    const forge = { tool: 'write_file', input: { path: 'p/03-01.summary.jsonl', content } }
    const fail = { tool: 'TaskUpdate', input: { taskId: '03-01/T1', status: 'failed', reason: 'no API' } }
    const lead = { agent: 'lead', times: 'always', text: 'I see.' }
    const parts = [forge, fail].map((call, i) => ({ when: { answer: i + 1 }, calls: [call] }))
    writeFileSync(script, JSON.stringify({ parts: [lead, ...parts, { times: 'always', text: 'I see.' }] }))
    expect((await run(`p --mode ${mode}`, `scripted:${script}`)).code).not.toBe(0)
    const transcripts = readdirSync(join(cli.dir, '.teams/phase-03/transcripts'))
    const [developer = ''] = transcripts.filter((name) => name.startsWith('dev-'))
    expect(cli.read('.teams/phase-03/transcripts', developer)).toContain(
      'p/03-01.summary.jsonl is never written by a file tool: deskmates writes it from the journal',
    )
    expect(JSON.parse(cli.read('p/03-01.summary.jsonl'))).toMatchObject({ s: 'failed', fm: [] })
  }) // C39

  it('says which mode it takes and why, and logs a fallback before anything runs', async () => {
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1'))
    writeLines(cli.dir, '.yolo-planning/config.json', { team_mode: 'teammate', agent_teams: false })
    const { code, stderr } = await run('p')
    expect(code).toBe(0)
    expect(stderr).toContain('Mode task: agent_teams is false')
    expect(stderr).toContain(
      '[FALLBACK] agent_teams is false, so teammates are not used; write "agent_teams": true to use them: switching from teammate to task for dev',
    )
  }) // C57, C58, C59

  it('leaves checkpoint tasks to a person with exit 4, and continues when run again', async () => {
    writeLines(
      cli.dir,
      'p/03-01.plan.jsonl',
      header('01'),
      task('T1'),
      task('T2', { tp: 'checkpoint:human-verify', td: ['T1'] }),
      task('T3', { td: ['T2'] }),
    )
    const { code, stdout, stderr } = await run('p --mode teammate')
    expect(code).toBe(4)
    expect(stdout).toContain('waits for a person')
    expect(await advised(stderr)).toHaveLength(3)
    expect((await run('p --mode teammate')).code).toBe(0)
    expect(JSON.parse(cli.read('p/03-01.summary.jsonl'))).toMatchObject({ s: 'complete', tc: 3 })
    const again = await run('p --mode teammate')
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('3 of 3 tasks completed')])
    expect((await eventsOf('phase-03')).filter(({ type }) => type === 'task.completed')).toHaveLength(3)
  }) // C36

  it.each(['task', 'teammate'])('stops at a limit with exit 3 in %s mode, and ends when run again', async (mode) => {
    writeExample(cli.dir)
    const stopped = await run(`p --mode ${mode} --max-turns 4`)
    expect(stopped.code).toBe(3)
    expect(stopped.stderr).toContain('Resume it with: deskmates plan run p -m')
    const ended = await run(`p --mode ${mode}`)
    expect([ended.code, ended.stderr]).toEqual([0, expect.anything()])
    const events = await eventsOf('phase-03')
    expect(events.filter(({ type }) => type === 'task.completed')).toHaveLength(9)
    expect(events.filter(({ type }) => type === 'task.failed')).toHaveLength(0)
  }) // C50

  it('starts no more developers than it may, and works on the board that has loaded the plans', async () => {
    writeExample(cli.dir)
    await cli.ok('team create web')
    await cli.ok('plan load p --team web')
    const { code, stdout } = await run('p --mode teammate --max-devs 2 --json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).team).toBe('web')
    const { members } = await cli.json('team show web')
    expect(members.map(({ name }: { name: string }) => name)).toEqual(['lead', 'dev-1', 'dev-2'])
    expect((await run('p --max-devs 0')).code).toBe(2)
  }) // C48

  it('starts a developer for each task as it becomes ready, and one for tasks that share a file', async () => {
    const shared = { f: ['src/shared.ts'] }
    const behindT1 = (id: string) => task(id, { td: ['T1'] })
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1', shared), task('T2', shared), task('T3', shared))
    const { code, stderr } = await run('p --mode teammate')
    expect([code, stderr]).toEqual([0, expect.anything()])
    const joined = async (team: string) =>
      (await eventsOf(team)).filter(({ type, name }) => type === 'member.joined' && name !== 'lead')
    expect(await joined('phase-03')).toMatchObject([{ name: 'dev-1' }])
    writeLines(cli.dir, 'q/04-01.plan.jsonl', header('01', { p: '04' }), task('T1'), behindT1('T2'), behindT1('T3'))
    expect((await run('q --mode teammate')).code).toBe(0)
    expect(await joined('phase-04')).toMatchObject([{ name: 'dev-1' }, { name: 'dev-2' }])
    const events = await eventsOf('phase-04')
    const at = (wanted: object) =>
      events.findIndex((event) => Object.entries(wanted).every(([k, v]) => event[k as keyof Shown] === v))
    expect(at({ type: 'member.joined', name: 'dev-2' })).toBeGreaterThan(at({ type: 'task.completed', id: '04-01/T1' }))
  }) // C48, C50

  it.each(['task', 'teammate'])('halts in %s mode when a task fails without a teammate too', async (mode) => {
    writeExample(cli.dir)
    const script = join(cli.dir, '..', 'broken.json')
    const broken = { agent: 'lead', times: 'always', text: 'I see.' }
    writeFileSync(script, JSON.stringify({ parts: [broken, { times: 'always', error: { fault: 'key' } }] }))
    const { code, stderr } = await run(`p --mode ${mode} --max-devs 1`, `scripted:${script}`)
    expect(code).toBe(1)
    expect(stderr).toContain('switching from task to no agent for dev')
    if (mode === 'teammate') expect(stderr).toMatch(/\[FALLBACK\] .*: switching from teammate to task for dev-1/)
    expect(stderr).toMatch(/No further task is started, because task 03-01\/T\d failed/)
    const events = await eventsOf('phase-03')
    expect(events.filter(({ type }) => type === 'task.failed')).toHaveLength(1)
    expect(await cli.ok('plan status')).toMatch(/T\d +failed +Do T\d: .*(?:key|lost|failed)/)
    expect(await advised(stderr)).toEqual([expect.stringMatching(/^task update 03-01\/T\d --status pending/)])
    expect((await run(`p --mode ${mode}`)).code).toBe(0)
  }) // C57, C58, C59, C60

  it('does nothing, and creates no team, for plans that are complete on another board', async () => {
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1'))
    expect((await run('p --team web')).code).toBe(0)
    const { code, stdout, stderr } = await run('p --team other')
    expect([code, stdout, stderr]).toEqual([0, '', expect.stringMatching(/complete on the board of team web/)])
    expect(await cli.json('team list')).toMatchObject([{ name: 'web' }])
  }) // C39

  it('creates no team for plans that cannot be loaded', async () => {
    writeLines(cli.dir, 'p/03-02.plan.jsonl', header('02', { w: 2, d: ['03-01'] }), task('T1'))
    writeLines(cli.dir, 'q/04-01.plan.jsonl', header('01', { p: '04', xd: [{ p: '03', n: '02' }] }), task('T1'))
    expect((await run('q')).stderr).toContain('plan 03-02 of another phase has no summary')
    expect(existsSync(join(cli.dir, '.teams'))).toBe(false)
  }) // C54
})
