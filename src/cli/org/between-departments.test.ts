import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { writeLines } from '../../../test/cli/plan-files.ts'

const LEADS = `scripted:${fileURLToPath(new URL('../../../test/cli/contract-leads.mjs', import.meta.url))}`
const PHASE = '.yolo-planning/phases/03-api'

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
  await cli.ok('org init engineering')
  await cli.ok('trust')
  const config = { departments: { frontend: true }, department_workflow: 'sequential', team_mode: 'task' }
  writeLines(cli.dir, '.yolo-planning/config.json', config)
  writeLines(cli.dir, join(PHASE, 'reqs.jsonl'), { id: 'R1', t: 'Users are listed' })
})
afterEach(() => cli.close())

describe('departments that work on one phase', { timeout: 60_000 }, () => {
  it('settle a contract status by status, and write into no folder of another department', async () => {
    expect((await cli.run(`org gate api-contract`)).stdout).toContain('hand-off api_contract is not recorded')
    const more = ['--permission-mode', 'bypassPermissions', '--sandbox', 'off', '-m', LEADS]
    const { code, stderr } = await cli.run(['org', 'run', PHASE, '--skip', '1,2,5,8,9', ...more])
    expect([code, stderr]).toEqual([0, expect.stringContaining('gate all-depts-complete is passed')])

    const lines = cli
      .read(join(PHASE, 'api-contracts.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ from, to, status }) => `${from} to ${to}: ${status}`)).toEqual([
      ...['frontend to backend: proposed', 'backend to frontend: agreed', 'backend to frontend: implemented'],
    ])
    expect(await cli.ok('org gate api-contract')).toContain('is passed')
    const said = cli.read('.teams/yolo-backend/transcripts/lead.jsonl')
    expect(said.match(/GET \/users is (?:proposed|implemented)/g), 'too early, and too late').toHaveLength(2)
    for (const team of ['yolo-backend', 'yolo-frontend'])
      expect(await cli.ok(`log --team ${team}`), 'nothing is mailed').not.toContain('api_contract')

    const tried = cli.read('.teams/yolo-frontend/transcripts/dev-03-02-T1.jsonl')
    expect(tried.match(/src\/api\/stolen\.(?:ts|sh)/g)?.length).toBeGreaterThan(1)
    for (const name of ['stolen.ts', 'stolen.sh']) expect(existsSync(join(cli.dir, 'src/api', name)), name).toBe(false)
    expect(cli.read('src/api/users.ts')).toBe('03-01/T1\n')
  }) // C30, C73, C80
})
