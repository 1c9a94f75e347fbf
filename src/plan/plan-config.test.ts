import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readPlanConfig } from './plan-config.ts'

it('the planning configuration has the defaults of the source, but commits nothing unasked', () => {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-config-'))
  writeFileSync(join(dir, 'config.json'), '{}')
  expect(readPlanConfig(join(dir, 'config.json'))).toEqual({
    ...{ effort: 'balanced', autonomy: 'standard', verification_tier: 'standard' },
    ...{ max_tasks_per_plan: 5, agent_teams: true, team_mode: 'auto', security_audit: false },
    approval_gates: { qa_fail: false, security_warn: false, code_review: false, manual_qa: false },
    cross_team_handoff: false,
  })
  expect(readPlanConfig(join(dir, 'none.json'))).toBeUndefined()
  rmSync(dir, { recursive: true })
}) // C8
