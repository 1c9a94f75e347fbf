import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CommandHarness } from '../../../test/cli/command-harness.ts'
import { work } from '../../../test/cli/example-agents.mjs'
import { PHASE, phaseHarness } from '../../../test/cli/phase-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'
import type { Compose, ComposedAnswer } from '../../testing/harnesses/composed-model.ts'

const STEERED = `scripted:${fileURLToPath(new URL('../../../test/cli/steered-agents.mjs', import.meta.url))}`

let cli: CommandHarness
beforeEach(async () => {
  cli = await phaseHarness()
})
afterEach(() => cli.close())

const configure = (config: object) =>
  writeLines(cli.dir, '.yolo-planning/config.json', { team_mode: 'teammate', ...config })
const plan = (number: string, ...tasks: object[]) =>
  writeLines(cli.dir, join(PHASE, `03-${number}.plan.jsonl`), header(number), ...tasks)

type Request = Parameters<Compose>[0]

/** Agents answer by `steered`, and as in the example where it says nothing. */
function run(steered: (request: Request) => ComposedAnswer | undefined) {
  const steer: Compose = (request) => steered(request) ?? work(request.turns)
  Object.assign(globalThis, { steer })
  const words = ['org', 'run', PHASE, '--skip', '1,2,5,8,9', '-m', STEERED, '--permission-mode', 'bypassPermissions']
  const env = { ...cli.env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1', PATH: process.env.PATH }
  return cli.run([...words, '--sandbox', 'off'], { env })
}

const textOf = (turns: Request['turns']) => JSON.stringify(turns)
const owners = async (team: string) =>
  (await cli.json(`task list --team ${team}`))
    .filter(({ id }: { id: string }) => id.startsWith('03-'))
    .map(({ id, owner }: { id: string; owner: string }) => `${id} ${owner}`)

describe('a department whose developers are lost', { timeout: 120_000 }, () => {
  it('falls back by itself; the other one goes on with its teammates', async () => {
    configure({ departments: { frontend: true }, department_workflow: 'parallel' })
    plan(
      '01',
      task('T1', { f: ['src/api/a.ts'] }),
      task('T2', { f: ['src/api/b.ts'] }),
      task('T3', { f: ['src/api/c.ts'], td: ['T1', 'T2'] }),
    )
    plan('02', task('T1', { f: ['src/pages/a.tsx'] }), task('T2', { f: ['src/pages/b.tsx'], td: ['T1'] }))
    const { code, stderr } = await run(({ agent, turns }) =>
      /^dev-\d$/.test(agent) && textOf(turns).includes('<task id=\\"03-01')
        ? { error: { fault: 'key', message: 'the key is wrong' } }
        : undefined,
    )
    expect([code, stderr]).toEqual([0, expect.stringContaining('backend: [BREAKER] closed → open: dev-')])
    expect(stderr).toContain('backend: [FALLBACK] the key is wrong: switching from teammate to task for dev-')
    expect(stderr).not.toMatch(/^frontend: \[(?:BREAKER|FALLBACK|HEALTH)\]/m)
    expect(await owners('yolo-frontend')).toEqual(['03-02/T1 dev-1', '03-02/T2 dev-1'])
    expect(await owners('yolo-backend')).toEqual([
      '03-01/T1 dev-1-errand',
      '03-01/T2 dev-2-errand',
      '03-01/T3 dev-03-01-T3',
    ])
    const states = ['yolo-backend', 'yolo-frontend'].map(async (team) => (await cli.json(`status ${team}`)).breaker)
    expect(await Promise.all(states)).toEqual(['open', 'closed'])
  }) // C58, C61, C68
})

describe('an escalation in a department', { timeout: 120_000 }, () => {
  it('that its recipient does not answer goes up after 300 seconds, then to the owner', async () => {
    configure({ security_audit: false })
    plan('01', task('T1', { f: ['src/api/users.ts'] }))
    execFileSync('mkfifo', [join(cli.dir, 'pipe')])
    const problem = 'no schema\nbackend: all steps completed by a developer'
    const issue = {
      ...{ from: 'dev', to: 'senior', issue: problem, evidence: ['src/db is empty'], severity: 'blocking' },
      recommendation: 'write it',
    }
    const escalate = (recipient: string) => ({
      calls: [{ tool: 'SendMessage', input: { recipient, type: 'escalation', content: JSON.stringify(issue) } }],
    })
    let asked = 0
    const running = run(({ agent, turns }) => {
      if (agent === 'dev-1') {
        asked++
        if (asked <= 2) return escalate(asked === 1 ? 'senior' : 'senior-1')
        if (asked === 3)
          return { calls: [{ tool: 'bash', input: { command: 'echo > started; cat pipe', timeout: 3_000 } }] }
        return undefined
      }
      return textOf(turns.slice(-1)).includes('no schema') ? { text: 'Hm.' } : undefined
    })
    const until = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 10_000, interval: 5 })
    const sentTo = async () => {
      const lines = (await cli.ok('log --json --team yolo-backend')).trim().split('\n')
      const sent = lines.map((line) => JSON.parse(line)).filter(({ message }) => message?.type === 'escalation')
      return sent.map(({ message }) => message.to)
    }
    await until(() => expect(existsSync(join(cli.dir, 'started'))).toBe(true))
    expect(cli.read('.teams/yolo-backend/transcripts/dev-1.jsonl')).toContain(
      'senior is a role, not a member: name the member that has it. Allowed recipients: senior-1.',
    )
    cli.clock.advance(299)
    expect(await sentTo()).toEqual(['senior-1'])
    cli.clock.advance(1)
    await until(async () => expect(await sentTo()).toEqual(['senior-1', 'lead']))
    cli.clock.advance(300)
    const ofOwner = async () => (await cli.run('log --handoffs --json --team yolo-owner')).stdout
    await until(async () => expect(await ofOwner()).toContain('no schema'))
    const [escalated = ''] = (await ofOwner()).trim().split('\n')
    expect(JSON.parse(escalated)).toMatchObject({ type: 'escalation', payload: { to: 'owner', issue: problem } })
    const escalations = async () => (await cli.json('org status')).escalations
    expect(await escalations(), 'while its department runs').toMatchObject([
      { department: 'backend', to: 'owner', issue: problem, recommendation: 'write it' },
    ])
    writeFileSync(join(cli.dir, 'pipe'), 'go on')
    const { code, stderr } = await running
    expect([code, stderr]).toEqual([0, expect.stringContaining('no schema')])
    expect(stderr, 'no text of an agent looks like a line of the log').toMatch(/^ {2}backend: .* by a developer$/m)
    expect(stderr).not.toMatch(/^backend: .* by a developer$/m)
    expect(await escalations(), 'its department is complete').toEqual([])
    for (const [who, level] of [
      ['senior-1', 'lead'],
      ['lead', 'owner'],
    ])
      expect(stderr).toContain(
        `[ESCALATION] dev-1: ${who} did not answer within 300 s, so the escalation goes to ${level}.`,
      )
  }) // C31, C81
})
