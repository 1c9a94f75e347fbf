import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommandHarness } from '../../../test/cli/command-harness.ts'
import { ANSWERS, RIGHT, WRONG } from '../../../test/cli/handing-agents.mjs'
import { PHASE, phaseHarness } from '../../../test/cli/phase-harness.ts'
import { writeLines } from '../../../test/cli/plan-files.ts'

const AGENTS = `scripted:${fileURLToPath(new URL('../../../test/cli/handing-agents.mjs', import.meta.url))}`

let cli: CommandHarness
beforeEach(async () => {
  cli = await phaseHarness()
  writeLines(cli.dir, '.yolo-planning/config.json', { team_mode: 'teammate', security_audit: true })
})
afterEach(() => cli.close())

function run() {
  const words = ['org', 'run', PHASE, '--permission-mode', 'acceptEdits', '--sandbox', 'off', '-m', AGENTS]
  return cli.run(words, { columns: 1000, env: { ...cli.env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' } })
}

async function linesOf(words: string) {
  const lines = (await cli.ok(`${words} --json`)).trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** `senior 7` is what the senior does in step 7. */
const roleOf = (place: string) => place.split(' ')[0]!
const memberOf = (place: string) => (roleOf(place) === 'lead' ? 'lead' : `${roleOf(place)}-1`)
/** What the runtime sends for an agent. */
const OF_RUNTIME = ['result', 'idle_notification', 'error', 'shutdown_request', 'shutdown_response']
const named = (rows: [string, string][]) => rows.map(([place, text]) => `${memberOf(place)} ${text}`).sort()

describe('the hand-offs of a department', { timeout: 60_000 }, () => {
  it('reach the recipients that the organisation names, and no others', async () => {
    const { code, stderr } = await run()
    const wrong = Object.entries(WRONG).flatMap(([place, rows]) => rows.map((row) => [place, ...row] as const))
    const right = Object.entries(RIGHT).flatMap(([place, rows]) => rows.map((row) => [place, ...row] as const))

    // Each attempt that is not allowed is refused with the reason, in the order in which it was made.
    for (const place of Object.keys(WRONG)) {
      const name = memberOf(place)
      const refused = [...stderr.matchAll(/\[ROUTING\] (\S+): (.*)/g)].filter(([, by]) => by === name)
      const wanted = wrong.filter(([by]) => memberOf(by) === name).map((row) => expect.stringContaining(row[4]))
      expect(refused.map(([, , text]) => text)).toEqual(wanted)
    }

    // Only what is allowed is in the mailboxes; what is for the owner is recorded, and mailed to no member.
    const isRecorded = (to: string | undefined) => to === 'owner'
    const mail = (await linesOf('log --team yolo-backend'))
      .filter(({ type, message }) => type === 'message.sent' && message.from !== 'user')
      .filter(({ message }) => !OF_RUNTIME.includes(message.type) && message.escalates === undefined)
      .map(({ message: { from, to, type } }) => `${from} ${type} to ${to}`)
    expect(mail.sort()).toEqual(
      [
        ...named(right.filter(([, , to]) => !isRecorded(to)).map(([by, type, to]) => [by, `${type} to ${to}`])),
        ...['critic-1 critique_result to lead', 'senior-1 message to dev-1', 'senior-1 message to tester-1'],
      ].sort(),
    )
    const senior = cli.read('.teams/yolo-backend/transcripts/senior-1.jsonl')
    for (const type of ['test_plan_result', 'dev_progress', 'dev_blocker', 'escalation'])
      expect(senior, 'the recipient reads it with its type').toMatch(
        new RegExp(`<message from=\\\\"(?:dev|tester)-1\\\\" type=\\\\"${type}`),
      )

    // Every one is in the log with its fields and its author, beside what the journal says itself.
    const handOffs = await linesOf('log --handoffs --team yolo-backend')
    const shown = (wanted: string) => handOffs.filter(({ type }) => type === wanted)
    for (const [by, type, to, content] of right.filter(([, type, to]) => type !== 'message' && !isRecorded(to))) {
      const { payload = content as object, confidence = null } = content as { payload?: object; confidence?: number }
      const about = {
        phase: 'plan_id' in payload || 'phase' in payload ? '03' : null,
        task: 'task' in payload ? '03-01/T1' : null,
      }
      const envelope = { ...about, timestamp: '2027-01-15T08:00:00.000Z', schema_version: 1, confidence }
      expect(shown(type), `${type} to ${to}`).toContainEqual(
        expect.objectContaining({ id: expect.any(String), author_role: roleOf(by), ...envelope, payload }),
      )
    }
    expect(shown('critique_result')).toMatchObject([{ author_role: 'critic', payload: ANSWERS.critic }])
    expect(shown('scout_findings')).toMatchObject([
      { author_role: 'scout', payload: { findings: [{ text: 'empty' }] } },
    ])
    expect(shown('debugger_report')).toEqual([])
    const lead = cli.read('.teams/yolo-backend/transcripts/lead.jsonl')
    expect(lead, 'plain text is an answer too').toContain(ANSWERS.debugger)
    const ofTask = handOffs.filter(({ task, type }) => task === '03-01/T1' && type !== 'dev_blocker')
    expect(ofTask.map(({ type, author_role }) => `${author_role} ${type}`)).toEqual([
      ...['dev task_claim', 'dev dev_progress', 'dev task_complete'],
    ])
    expect(shown('summary_aggregation')).toMatchObject([
      { payload: { plan_id: '03-01', tasks_completed: 1, tasks_total: 1, status: 'complete' } },
    ])
    expect(shown('agent_health_event').map(({ payload }) => payload.agent_id)).toContain('dev-1')

    // What no level answers goes up one level at a time; a FAIL of security is for the owner at once, and stops the phase.
    expect([...stderr.matchAll(/\[ESCALATION\] senior-1: (.*)/g)].map(([, text]) => text)).toEqual([
      'lead ended its turn without an answer, so the escalation goes to architect-1.',
      'architect-1 ended its turn without an answer, so the escalation goes to owner.',
    ])
    expect(stderr).not.toMatch(/\[ESCALATION\] (?:dev|tester)-1/)
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('backend: step 9 security failed: escalation of security'),
    ])
    const { escalations } = await cli.json('org status')
    expect(escalations.map(({ from, to }: { from: string; to: string }) => `${from} to ${to}`)).toEqual(
      expect.arrayContaining(['security to owner']),
    )
    const recorded = (await linesOf('log --handoffs --team yolo-owner')).map(({ type, payload }) => [type, payload])
    for (const [, type, to, content] of right.filter(([, , to]) => isRecorded(to)))
      expect(recorded, `${type} to ${to}`).toContainEqual([type, expect.objectContaining(content as object)])
    expect(recorded).toContainEqual([
      'department_result',
      {
        ...{ department: 'backend', phase: '03', result: 'PARTIAL', plans_completed: 1, plans_total: 1 },
        ...{ qa_result: 'PASS', security_result: 'FAIL', tdd_coverage: '1 of 1 plans red_green' },
        problem: expect.stringContaining('owner has to decide'),
      },
    ])
  }) // C26, C27, C28, C29, C30, C31, C32, C33, C34, C35, C46, F50
})
