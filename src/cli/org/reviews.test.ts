import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommandHarness } from '../../../test/cli/command-harness.ts'
import { PHASE, phaseHarness } from '../../../test/cli/phase-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'

const REVIEWERS = `scripted:${fileURLToPath(new URL('../../../test/cli/strict-reviewers.mjs', import.meta.url))}`
const SILENT = `scripted:${fileURLToPath(new URL('../../../test/cli/silent-developer.mjs', import.meta.url))}`

let cli: CommandHarness
beforeEach(async () => {
  cli = await phaseHarness()
  writeLines(cli.dir, join(PHASE, '03-01.plan.jsonl'), header('01'), task('T1', { f: ['src/api/users.ts'] }))
})
afterEach(() => cli.close())

const configure = (config: object) =>
  writeLines(cli.dir, '.yolo-planning/config.json', { team_mode: 'task', security_audit: true, ...config })
const run = (skip: string) =>
  cli.run([
    ...['org', 'run', PHASE, '--skip', skip, '-m', REVIEWERS],
    ...['--permission-mode', 'acceptEdits', '--sandbox', 'off'],
  ])
/** Does the task that the run waits for, as a person. */
async function decide(stderr: string, end: 'complete' | 'fail') {
  const [, id = ''] = /deskmates task claim (\d+) --as NAME/.exec(stderr) ?? []
  await cli.ok('team join grace --role person --kind human --team yolo-backend')
  await cli.ok(`task claim ${id} --as grace --team yolo-backend`)
  const words = end === 'complete' ? ['--result', 'fine'] : ['--reason', 'too slow']
  await cli.ok(['task', end, id, '--as', 'grace', '--team', 'yolo-backend', ...words])
}

describe('a review of a department', { timeout: 120_000 }, () => {
  it('of security with FAIL fails the step and goes to the owner; the next run has it done anew', async () => {
    configure({})
    const failed = await run('1,2,5,8')
    expect(failed.code).toBe(4)
    expect(failed.stderr).toContain('step 9 security failed: security-audit.jsonl: FAIL: owner has to decide')
    expect(failed.stderr).toContain('[ESCALATION] backend: security to owner: step 9 (security)')
    expect(failed.stderr).toContain(`continue with: deskmates org run ${PHASE}`)
    expect(failed.stdout).toContain('backend  security  owner  step 9')
    const status = await cli.json('org status')
    expect(status.departments).toMatchObject([{ status: 'failed', step: 'security' }])
    expect(status.escalations).toMatchObject([{ department: 'backend', from: 'security', to: 'owner' }])
    expect((await cli.run('org gate all-depts')).code).toBe(1)

    const again = await run('1,2,5,8')
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('step 9 security completed')])
    expect((await cli.json('org status')).escalations).toEqual([])
  }) // C31, C74, C76

  it('of QA sends the work back while cycles are left', async () => {
    configure({ security_audit: false })
    expect((await run('1,2,5')).code).toBe(0)
    const subjects = (await cli.json('task list --team yolo-backend')).map(
      ({ subject }: { subject: string }) => subject,
    )
    expect(subjects).toContain(`Rework after step 8 qa of ${PHASE}, cycle 1`)
    expect(subjects).toContain(`Step 8 qa of ${PHASE} as qa, cycle 2`)
    expect(subjects.some((subject: string) => subject.includes('attempt'))).toBe(false)
  }) // C76
})

describe('an approval gate of the configuration', { timeout: 120_000 }, () => {
  it('waits for a person, with what to do; agreed it goes on, refused it fails the step', async () => {
    configure({ security_audit: false, approval_gates: { code_review: true } })
    const waiting = await run('1,2,5,8')
    expect(waiting.code).toBe(4)
    expect(waiting.stderr).toContain('approval code_review waits for a person: task ')
    const status = await cli.json('org status')
    expect(status.departments).toMatchObject([{ status: 'running', step: 'code_review' }])
    expect(status.waiting).toMatchObject([{ department: 'backend', team: 'yolo-backend' }])
    await decide(waiting.stderr, 'fail')
    const refused = await run('1,2,5,8')
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('code_review was refused: too slow')])
    const anew = await run('1,2,5,8')
    await decide(anew.stderr, 'complete')
    expect((await run('1,2,5,8')).code).toBe(0)
    expect((await cli.json('org status')).waiting).toEqual([])
  }) // C8
})

describe('a developer without a sign of life', { timeout: 120_000 }, () => {
  it('disappears after health.silenceSeconds; after the second time its task is done one-shot', async () => {
    configure({ security_audit: false, team_mode: 'teammate' })
    const silent = globalThis as unknown as { silentRequests: number }
    silent.silentRequests = 0
    const env = { ...cli.env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' }
    const words = ['org', 'run', PHASE, '--skip', '1,2,5,8', '-m', SILENT, '--permission-mode', 'acceptEdits']
    let isOver = false
    const running = cli.run([...words, '--sandbox', 'off'], { env }).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve))
      if (silent.silentRequests > 0) cli.clock.advance(1)
    }
    const { code, stderr } = await running
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('dev-1 disappeared: dev-1 gave no sign of life for 60 s'),
    ])
    expect(stderr).toContain('backend: [FALLBACK] dev-1 gave no sign of life for 60 s: switching from teammate to task')
    const lines = (await cli.ok('log --handoffs --json --team yolo-backend')).trim().split('\n')
    const health = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'agent_health_event')
    const lost = health.filter(({ payload }) => payload.state === 'disappeared')
    expect(lost.length).toBeGreaterThanOrEqual(2)
    for (const { payload } of lost) expect(payload).toMatchObject({ agent_id: 'dev-1', timeout_triggered: true })
    const shown = await cli.json('task show 03-01/T1 --team yolo-backend')
    expect(shown).toMatchObject({ status: 'completed', owner: 'dev-1-errand', attempts: 3 })
    expect(shown.ended).toMatchObject([
      { owner: 'dev-1', end: 'owner lost' },
      { owner: 'dev-1', end: 'owner lost' },
    ])
    const breaker = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'circuit_breaker_state')
    expect(breaker.map(({ payload }) => [payload.state, payload.failure_count])).toEqual([
      ['closed', 1],
      ['closed', 2],
    ])
  }) // C58, C59, C63, C65, F46
})
