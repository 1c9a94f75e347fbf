import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CommandHarness } from '../../../test/cli/command-harness.ts'
import { PHASE, phaseHarness } from '../../../test/cli/phase-harness.ts'
import { writeLines } from '../../../test/cli/plan-files.ts'

const AGENTS = `scripted:${fileURLToPath(new URL('../../../test/cli/handing-over-agents.mjs', import.meta.url))}`

let cli: CommandHarness
beforeEach(async () => {
  cli = await phaseHarness()
  writeLines(cli.dir, '.yolo-planning/config.json', { team_mode: 'teammate', security_audit: true })
})
afterEach(() => cli.close())

/** One line of `log --json`. */
interface Logged {
  readonly type: string
  readonly role?: string
  readonly name?: string
  readonly step?: number
  readonly status?: string
  readonly profile?: { readonly agentType: string | null } | null
  readonly message?: { readonly type: string; readonly from: string; readonly to: string }
}

/** Hand-offs by which a developer and a senior tell others what they do. */
const HAND_OFFS = /^(?:dev_progress|dev_blocker|senior_spec|code_review_changes|code_review_result)$/

it('members of a department join step by step and hand over by role; one-shot agents never join', async () => {
  const env = { ...cli.env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' }
  const more = ['--permission-mode', 'acceptEdits', '--sandbox', 'off', '-m', AGENTS]
  const { code, stderr } = await cli.run(['org', 'run', PHASE, ...more], { env })
  expect([code, stderr]).toEqual([0, expect.stringContaining('gate all-depts-complete is passed')])

  const { description, members } = await cli.json('team show yolo-backend')
  expect(description).toBe('Backend engineering team for phase 03: api')
  expect(members.map(({ role, status }: Logged) => `${role} ${status}`)).toEqual([
    'lead idle',
    ...['architect', 'senior', 'tester', 'dev', 'qa', 'qa-code', 'security'].map((role) => `${role} stopped`),
  ])
  const events: Logged[] = (await cli.ok('log --json --team yolo-backend'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  let begun: number | undefined
  const joined = events.flatMap(({ type, step, status, role, profile }) => {
    if (type === 'step.changed' && status === 'started') begun = step
    return type === 'member.joined' && role !== 'lead' ? [[role, begun, profile?.agentType ?? 'member']] : []
  })
  expect(joined, 'the critic works before there is any member').toEqual([
    ['critic', 1, 'errand'],
    ['architect', 2, 'member'],
    ['senior', 4, 'member'],
    ['tester', 5, 'member'],
    ['dev', 6, 'member'],
    ['qa', 8, 'member'],
    ['qa-code', 8, 'member'],
    ['security', 9, 'member'],
  ])

  const lead = cli.read('.teams/yolo-backend/transcripts/lead.jsonl')
  for (const role of ['critic', 'scout', 'debugger'])
    expect(lead).toContain(`A ${role} runs one-shot and never joins a team. Start a subagent instead`)
  expect(lead).toContain('A qa joins the team when step 8 begins')
  expect(lead, 'what the scout found comes back to the lead').toMatch(/tool-result.*scout_findings.*no index/)
  expect(cli.read('.teams/yolo-backend/transcripts/senior-1.jsonl')).toContain('Unknown tool: TeamCreate')
  expect((await cli.json('team list')).map(({ name }: Logged) => name)).not.toContain('nested')

  const delivered = events.flatMap(({ type, message }) =>
    type === 'message.sent' && HAND_OFFS.test(message?.type ?? '')
      ? [`${message?.type}: ${message?.from} to ${message?.to}`]
      : [],
  )
  expect(delivered, 'a refused one is never delivered').toEqual([
    'senior_spec: senior-1 to lead',
    'dev_blocker: dev-1 to senior-1',
    'dev_progress: dev-1 to senior-1',
    'code_review_changes: senior-1 to dev-1',
    'code_review_result: senior-1 to lead',
  ])
  const refused = [...stderr.matchAll(/\[ROUTING\] (\S+): .*? sends (\w+) to (\w+) only, not to (\S+?)[. ]/g)]
  expect(refused.map(([, ...words]) => words.join(' '))).toEqual([
    'senior-1 senior_spec lead architect-1',
    'dev-1 dev_progress senior lead',
    'dev-1 message senior architect-1',
    'senior-1 code_review_changes dev lead',
    'senior-1 code_review_result lead dev-1',
  ])
  expect(cli.read('.teams/yolo-backend/transcripts/dev-1.jsonl'), 'the same developer reads it').toContain('must_fix')

  const asked = await cli.json('requests --all --team yolo-backend')
  expect(asked).toHaveLength(7)
  for (const request of asked)
    expect(request).toMatchObject({
      ...{ kind: 'shutdown', from: 'lead', state: 'approved', status: 'clean' },
      content: expect.stringMatching(/^phase_complete: the work of team yolo-backend is over/),
    })
}, 120_000) // C14, C15, C16, C17, C19, C25, C26, C27
