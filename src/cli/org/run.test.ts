import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'

const EXAMPLE = fileURLToPath(new URL('../../../examples/engineering/', import.meta.url))
const AGENTS = `scripted:${join(EXAMPLE, 'agents.mjs')}`
/** The same agents, but the work below src/api fails. */
const FAILING = `scripted:${fileURLToPath(new URL('../../../test/cli/failing-backend.mjs', import.meta.url))}`
/** The same agents, and an owner. */
const OWNING = `scripted:${fileURLToPath(new URL('../../../test/cli/owning-agents.mjs', import.meta.url))}`
const PHASES = '.yolo-planning/phases'

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
  await cli.ok('org init engineering')
  await cli.ok('trust')
})
afterEach(() => cli.close())

const run = (phase: string, { mode = '1', model = AGENTS, more = [] as string[] } = {}) =>
  cli.run(
    ['org', 'run', join(PHASES, phase), ...more, '--permission-mode', 'acceptEdits', '--sandbox', 'off', '-m', model],
    { env: { ...cli.env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: mode } },
  )

/** What the README of the example shows behind the command with these words. */
function shownIn(words: string): string[] {
  const readme = readFileSync(join(EXAMPLE, 'README.md'), 'utf8')
  const after = readme.slice(readme.indexOf('$ deskmates', readme.indexOf(words) - 100))
  const [shown = ''] = after.slice(after.indexOf('\n')).split('\n```')
  expect(shown).toContain('gate all-depts-complete')
  return linesOf(shown)
}

/** Any developer may be the one that disappears. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/\bdev-\d/g, 'dev-N'))
}

describe('org run', { timeout: 120_000 }, () => {
  it('runs the two phases of the example through all steps, each department in its own team', async () => {
    cpSync(join(EXAMPLE, '.yolo-planning'), join(cli.dir, '.yolo-planning'), { recursive: true })
    const tooEarly = await run('04-search')
    expect([tooEarly.code, tooEarly.stderr]).toEqual([
      4,
      expect.stringContaining('gate all-depts-complete is not passed'),
    ])
    expect(linesOf(tooEarly.stderr)).toEqual(expect.arrayContaining(shownIn('phases/04-search')))
    const first = await run('03-api', { more: ['--json'] })
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('gate all-depts-complete is passed')])
    expect(first.stderr).toContain(
      '[FALLBACK] the model of this developer is gone: switching from teammate to task for dev-',
    )
    const disappeared = [...first.stderr.matchAll(/^backend: \[HEALTH\] Agent (dev-\d) disappeared/gm)].map(
      ([, name]) => name,
    )
    expect(disappeared, 'one developer, lost and brought back').toEqual([disappeared[0], disappeared[0]])
    expect(first.stderr).not.toContain('[BREAKER]')
    expect(first.stderr).toContain('message to senior only, not to yolo-lead')
    expect(linesOf(first.stderr)).toEqual(expect.arrayContaining(shownIn('phases/03-api')))
    expect(JSON.parse(first.stdout)).toMatchObject({
      ...{ complete: true, phase: '03', phase_name: 'api', status: 'complete', total_waves: 1 },
      departments: [
        { dept: 'frontend', status: 'complete', step: 'signoff', plans_complete: 1 },
        { dept: 'backend', status: 'complete', step: 'signoff', plans_complete: 2 },
      ],
      steps: { frontend: { critique: { status: 'completed' }, security: { status: 'skipped' } } },
    })
    expect(cli.read('src/api/routes.ts')).toMatch(/^03-02\/T[12]\n$/)
    const files = readdirSync(join(cli.dir, PHASES, '03-api'))
    for (const name of ['.dept-status-backend.json', '.phase-orchestration.json', '03-02.summary.jsonl'])
      expect(files).toContain(name)
    const teams = (await cli.json('team list')).map(({ name }: { name: string }) => name)
    expect(teams).toEqual(expect.arrayContaining(['yolo-backend', 'yolo-frontend', 'yolo-owner']))
    const roles = (await cli.json('team show yolo-frontend')).members.map(({ role }: { role: string }) => role)
    expect(roles).toContain('senior')
    expect(roles).not.toContain('security')

    const second = await run('04-search', { mode: '0' })
    expect(second.stderr).toContain('switching from teammate to task for backend')
    expect(second.code).toBe(0)
    expect(cli.read('src/pages/search.tsx')).toBe('04-02/T1\n')
    expect((await run('04-search')).stderr).toContain('Phase 04 is complete already.')
  }) // C13, C14, C15, C30, C59, C65, C70, C71, C74, F50

  it('lets other departments finish when one fails, holds the gate, and completes with a second run', async () => {
    const config = { departments: { frontend: true }, department_workflow: 'parallel', team_mode: 'task' }
    writeLines(cli.dir, '.yolo-planning/config.json', config)
    const put = (name: string, ...lines: object[]) => writeLines(cli.dir, join(PHASES, '03-api', name), ...lines)
    put('reqs.jsonl', { id: 'R1', t: 'Users are listed' })
    put('03-01.plan.jsonl', header('01'), task('T1', { f: ['src/api/users.ts'] }))
    put('03-02.plan.jsonl', header('02'), task('T1', { f: ['src/pages/users.tsx'] }))
    const more = ['--skip', '1,2,5,8,9']
    const failed = await run('03-api', { model: FAILING, more })
    expect(failed.code).toBe(4)
    expect(failed.stderr).toContain('gate all-depts-complete is not passed: department backend is failed')
    expect(failed.stderr).toContain('[ESCALATION] backend: lead to architect: step 6 (implementation)')
    expect(failed.stderr).toContain('The phase halts: backend is failed.')
    expect((await cli.json('org status')).escalations).toMatchObject([{ department: 'backend', to: 'architect' }])
    const states = async () =>
      (await cli.json(['org', 'status'])).departments.map(({ dept, status }: Record<string, string>) => [dept, status])
    expect(await states()).toEqual([
      ['frontend', 'complete'],
      ['backend', 'failed'],
    ])
    expect((await cli.run('org gate all-depts')).code).toBe(1)
    expect(existsSync(join(cli.dir, 'src/api/users.ts'))).toBe(false)
    const shown = () => JSON.parse(cli.read(PHASES, '03-api', '.dept-status-backend.json'))
    const before = shown()
    expect(before).toEqual({
      ...{ dept: 'backend', status: 'failed', step: 'implementation', plans_complete: 0, plans_total: 1 },
      ...{ started_at: '2027-01-15T08:00:00.000Z', updated_at: '2027-01-15T08:00:00.000Z' },
      error: expect.stringContaining('the database is missing'),
    })
    cli.clock.advance(60)
    const again = await run('03-api', { more })
    expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining('frontend: step')])
    expect(await states()).toEqual([
      ['frontend', 'complete'],
      ['backend', 'complete'],
    ])
    expect(cli.read('src/api/users.ts')).toBe('03-01/T1\n')
    expect(shown()).toEqual({
      ...{ dept: 'backend', status: 'complete', step: 'signoff', plans_complete: 1, plans_total: 1, error: null },
      ...{ started_at: before.started_at, updated_at: '2027-01-15T08:01:00.000Z' },
    })
    const contract = await cli.run('org gate api-contract')
    expect([contract.code, contract.stdout], 'no wave waits for it').toEqual([1, expect.stringContaining('not passed')])
  }) // C61, C70, C71, C73, C75, F47

  it.each(['0', '1'])(
    'exits 3 at a limit and leaves its step begun; a higher limit finishes it (teams: %s)',
    async (mode) => {
      const put = (name: string, ...lines: object[]) => writeLines(cli.dir, join(PHASES, '03-api', name), ...lines)
      writeLines(cli.dir, '.yolo-planning/config.json', { team_mode: 'auto', agent_teams: true })
      put('reqs.jsonl', { id: 'R1', t: 'Users are listed' })
      put('03-01.plan.jsonl', header('01'), task('T1', { f: ['src/api/a.ts'] }))
      // Enough for each step, not for all of them.
      const skip = ['--skip', '1,2,5,8,9']
      const limited = await run('03-api', { mode, more: [...skip, '--max-turns', '5'] })
      expect([limited.code, limited.stderr]).toEqual([
        3,
        expect.stringContaining('its share of the model calls (--max-turns) is used up'),
      ])
      expect(limited.stderr).toContain('A limit stopped it: continue, with a higher limit, with: deskmates org run')
      const { departments, steps, escalations } = await cli.json('org status')
      expect([departments[0].status, escalations]).toEqual(['running', []])
      expect(Object.values(steps.backend).map((step) => (step as { status: string }).status)).toContain('started')
      const ended = await run('03-api', { mode, more: [...skip, '--max-turns', '100'] })
      expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('gate all-depts-complete is passed')])
      const journal = cli.read('.teams/yolo-backend/journal.jsonl')
      expect(journal.match(/"type":"task.completed","id":"03-01\/T\d"/g)).toHaveLength(1)
      expect(journal).not.toMatch(/"type":"task\.failed"|"status":"failed"/)
    },
  ) // C76

  it('lets a model own the phase where the organisation says so; it cannot ship or start too early', async () => {
    const file = join(cli.dir, '.deskmates/organisation/organisation.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('ownerRuns: code', 'ownerRuns: model'))
    await cli.ok('trust')
    const config = { departments: { frontend: true }, department_workflow: 'parallel', team_mode: 'task' }
    writeLines(cli.dir, '.yolo-planning/config.json', config)
    const put = (name: string, ...lines: object[]) => writeLines(cli.dir, join(PHASES, '03-api', name), ...lines)
    put('reqs.jsonl', { id: 'R1', t: 'Users are listed' })
    put('03-01.plan.jsonl', header('01'), task('T1', { f: ['src/api/users.ts'] }))
    put('03-02.plan.jsonl', header('02'), task('T1', { f: ['src/pages/users.tsx'] }))
    const ran = await run('03-api', { model: OWNING, more: ['--skip', '1,2,5,8,9'] })
    const recorded = cli.read('.teams/yolo-owner/journal.jsonl')
    expect(recorded).toContain('"status":"HOLD"')
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringContaining('owner: Both departments are complete: we ship.'),
    ])
    expect(ran.stderr).toContain('gate all-depts-complete is passed')
    const status = await cli.json('org status')
    expect(status.signoff).toMatchObject({ decision: 'SHIP', departments_approved: ['frontend', 'backend'] })
    expect(status.escalations, 'the user was asked before it agreed to ship').toEqual([])
    expect(recorded).toContain('May we ship today?')
    expect((await cli.ok('org status')).toString()).toContain('Sign-off of the owner: SHIP')
    expect(
      cli
        .read(join(PHASES, '03-api', 'owner-signoff.jsonl'))
        .trim()
        .split('\n'),
    ).toHaveLength(2)
    const reviews = cli
      .read(join(PHASES, '03-api', 'owner-review.jsonl'))
      .trim()
      .split('\n')
    expect(reviews.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'owner_review', priorities: ['users are listed'], dispatch_order: ['backend', 'frontend'] },
    ])
    const said = cli.read('.teams/yolo-owner/transcripts/lead.jsonl')
    expect(said).toContain('dispatch_order: name each of these once: frontend, backend.')
    expect(said).toContain(
      'When departments disagree: data integrity over user experience; security over features; accessibility over polish.',
    )
    expect(said).toContain('The phase is not complete: department frontend is pending')
    expect(said).toContain('uiux cannot run now. Departments that can: frontend, backend.')
  }) // C31, C34

  it('refuses an organisation that is not trusted, and plans that belong to no department', async () => {
    writeLines(cli.dir, '.yolo-planning/config.json', {
      departments: { frontend: true },
      department_workflow: 'parallel',
    })
    writeLines(cli.dir, join(PHASES, '03-api/03-01.plan.jsonl'), header('01'), task('T1', { f: ['docs/a.md'] }))
    expect((await run('03-api')).stderr).toContain('its tasks change no file in a folder of an active department')
    appendFileSync(join(cli.dir, '.deskmates/organisation/roles/dev.md'), 'Obey the repository.\n')
    expect((await run('03-api')).stderr).toContain('is not trusted yet')
  })
})
