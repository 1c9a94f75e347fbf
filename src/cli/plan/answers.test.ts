import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'

const ANSWERING = `scripted:${fileURLToPath(new URL('../../../test/cli/answering-agents.mjs', import.meta.url))}`
const PLAN = 'phases/03-api/03-01.plan.jsonl'

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
})
afterEach(() => cli.close())

async function run(action: string, limits: readonly string[] = []) {
  writeLines(cli.dir, PLAN, header('01'), task('T1', { f: ['src/api/users.ts'], a: action }))
  const more = ['--mode', 'task', '--permission-mode', 'acceptEdits', '--sandbox', 'off', '-m', ANSWERING]
  const { code, stderr } = await cli.run(['plan', 'run', 'phases/03-api', ...more, ...limits])
  const lines = (await cli.ok('log --handoffs --json --team phase-03')).trim().split('\n')
  const progress = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'dev_progress')
  const summary = JSON.parse(cli.read('phases/03-api/03-01.summary.jsonl'))
  return { code, stderr, progress, summary }
}

describe('plan run --mode task', { timeout: 60_000 }, () => {
  it('checks answers by the hand-offs of a trusted organisation, and records them', async () => {
    await cli.ok('org init engineering')
    await cli.ok('trust')
    const { code, progress, summary } = await run('list users')
    expect([code, summary.s]).toEqual([0, 'complete'])
    expect(cli.read('.teams/phase-03/transcripts/dev-03-01-T1.jsonl')).toContain('Your answer was not accepted')
    expect(progress).toMatchObject([{ author_role: 'dev', task: '03-01/T1', payload: { status: 'complete' } }])
    const own = await cli.ok('log --handoffs --team phase-03 --member dev-03-01-T1')
    for (const type of ['task_claim', 'task_complete', 'dev_progress'])
      expect(own).toMatch(new RegExp(`dev-03-01-T1 +${type} `))
  }) // C1, C29, C39

  it('asks an agent for its answer that a limit cut off behind the completion of its task', async () => {
    await cli.ok('org init engineering')
    await cli.ok('trust')
    const cut = await run('list users', ['--max-turns', '2'])
    expect([cut.code, cut.summary.s, cut.progress]).toEqual([3, 'complete', []])
    const { code, progress } = await run('list users')
    expect([code, progress.length]).toEqual([0, 1])
    expect(progress).toMatchObject([{ author_role: 'dev', task: '03-01/T1', payload: { status: 'complete' } }])
    const again = await run('list users')
    expect([again.code, again.progress.length]).toEqual([0, 1])
  }) // C1, C39

  it('fails a task whose answer stays invalid, with type, field and fix', async () => {
    await cli.ok('org init engineering')
    await cli.ok('trust')
    const { code, stderr, progress, summary } = await run('stubborn')
    expect([code, summary.tc, progress]).toEqual([1, 0, []])
    expect(stderr).toContain('its answer was refused twice. The content is not a valid dev_progress: status: ')
    expect(stderr).toContain('Write a JSON object with the fields task, plan_id, commit, status, concerns.')
  }) // C1, C60

  it.each([['that is not trusted'], ['that is not there']])('checks no answer by an organisation %s', async (which) => {
    if (which === 'that is not trusted') await cli.ok('org init engineering')
    const { code, progress } = await run('stubborn')
    expect([code, progress]).toEqual([0, []])
  }) // C1
})
