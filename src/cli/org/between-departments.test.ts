import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommandHarness } from '../../../test/cli/command-harness.ts'
import { PHASE, phaseHarness } from '../../../test/cli/phase-harness.ts'
import { writeLines } from '../../../test/cli/plan-files.ts'

const LEADS = `scripted:${fileURLToPath(new URL('../../../test/cli/contract-leads.mjs', import.meta.url))}`

let cli: CommandHarness
beforeEach(async () => {
  cli = await phaseHarness()
  const config = { departments: { frontend: true, uiux: true }, department_workflow: 'sequential', team_mode: 'task' }
  writeLines(cli.dir, '.yolo-planning/config.json', config)
})
afterEach(() => cli.close())

describe('departments that work on one phase', { timeout: 60_000 }, () => {
  it('settle a contract status by status, and write into no folder of another department', async () => {
    expect((await cli.run(`org gate api-contract`)).stdout).toContain('hand-off api_contract is not recorded')
    const more = ['--permission-mode', 'bypassPermissions', '--sandbox', 'off', '-m', LEADS]
    const words = ['org', 'run', PHASE, '--skip', '1,2,5,8,9', ...more]
    const { code, stderr } = await cli.run(words, { columns: 1000 })
    expect([code, stderr]).toEqual([0, expect.stringContaining('gate all-depts-complete is passed')])

    const handedOver = (file: string) =>
      cli
        .read(join(PHASE, file))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    const shortly = (file: string) => handedOver(file).map(({ from, to, status }) => `${from} to ${to}: ${status}`)
    expect(shortly('api-contracts.jsonl')).toEqual([
      ...['frontend to backend: proposed', 'backend to frontend: agreed', 'backend to frontend: implemented'],
    ])
    expect(await cli.ok('org gate api-contract')).toContain('is passed')
    expect(shortly('design-handoff.jsonl')).toEqual([
      ...['uiux to frontend: in_progress', 'uiux to frontend: complete', 'uiux to backend: complete'],
    ])
    expect(handedOver('design-handoff.jsonl')[1]).toMatchObject({
      ...{ type: 'design_handoff', phase: '03', department: 'uiux', ready_components: ['Button'] },
      ...{ deferred: ['Table'], acceptance_criteria: ['contrast 4.5:1'] },
    })
    expect(await cli.ok('org gate ux-complete')).toContain('is passed')
    const lead = (team: string) => cli.read(`.teams/${team}/transcripts/lead.jsonl`)
    expect(lead('yolo-frontend'), 'the next lead is told to read it').toContain(`${PHASE}/design-handoff.jsonl`)

    // Plain messages reach no lead of another department, and backend and design hand over nothing else to each other.
    const refused = [...stderr.matchAll(/^(\w+): \[ROUTING\] lead: (.*)$/gm)].map(([, by, text]) => [by, text])
    expect(refused).toEqual([
      ['uiux', expect.stringContaining('only, not to yolo-lead (lead), which is in another department.')],
      ['uiux', expect.stringContaining('lead (lead) does not send api_contract')],
      ['frontend', expect.stringContaining('only, not to yolo-lead (lead), which is in another department.')],
      ['backend', expect.stringContaining('not to yolo-ux-lead (lead), which is in another')],
      ['backend', expect.stringContaining('lead (lead) does not send design_handoff')],
      [
        'backend',
        expect.stringContaining('The api_contract of GET /users is proposed and cannot become implemented now.'),
      ],
      [
        'backend',
        expect.stringMatching(/GET \/users is implemented and cannot become proposed now\..* the owner decides\.$/),
      ],
    ])
    for (const team of ['yolo-uiux', 'yolo-frontend'])
      expect(lead(team)).toContain('not to yolo-lead (lead), which is in another department. Allowed recipients: ')
    for (const team of ['yolo-backend', 'yolo-frontend', 'yolo-uiux'])
      expect(await cli.ok(`log --team ${team}`), 'nothing is mailed').not.toMatch(/api_contract|design_handoff/)

    const tried = cli.read('.teams/yolo-frontend/transcripts/dev-03-02-T1.jsonl')
    expect(tried.match(/src\/api\/stolen\.(?:ts|sh)/g)?.length).toBeGreaterThan(1)
    for (const name of ['stolen.ts', 'stolen.sh']) expect(existsSync(join(cli.dir, 'src/api', name)), name).toBe(false)
    expect(cli.read('src/api/users.ts')).toBe('03-01/T1\n')
  }) // C30, C32, C34, C73, C80
})
