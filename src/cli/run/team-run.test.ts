import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness, stderrWithoutSandboxWarning } from '../../../test/cli/command-harness.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { scriptedModel } from '../../models/scripted/scripted-model.ts'
import { openSession } from '../../session/open-session.ts'
import type { Session } from '../../session/session.ts'
import { memberNamed } from '../../team/state.ts'
import { openWorkspace, type Workspace } from '../../workspace.ts'

let cli: CommandHarness
beforeEach(async () => {
  cli = await commandHarness()
})
afterEach(() => cli.close())

const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })

function script(parts: object[]): string {
  const path = join(cli.dir, 'script.json')
  writeFileSync(path, JSON.stringify({ parts }))
  return `scripted:${path}`
}

/** A session in this process whose lead has made ada, and both rest. */
async function withAda(workspace: Workspace): Promise<Session> {
  const model = scriptedModel({
    parts: [
      { agent: 'lead', when: { user: 'Go' }, calls: [call('Task', { name: 'ada', prompt: 'Hello.' })] },
      { agent: ['lead', 'ada'], times: 'always', text: 'Here.' },
    ],
  })
  const session = await openSession({ workspace, model, team: 'web' })
  for await (const _ of session.run('Go'));
  return session
}

/** A lead that sends ada to work, and an ada that does task 1. */
const story = (end: object) =>
  script([
    {
      agent: 'lead',
      when: { user: 'Go' },
      calls: [
        call('TaskCreate', { subject: 'dig', description: 'a hole' }),
        call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1' }),
      ],
    },
    { agent: 'ada', when: { answer: 1 }, ...end },
    { agent: 'ada', times: 'always', text: 'The hole is dug.' },
    { agent: 'lead', times: 'always', text: 'All is done.' },
  ])

describe('a team on the command line', () => {
  it('works until all is settled and exits 0; its state can be seen', async () => {
    const model = story({ calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'dug' })] })
    await cli.ok('team create web')
    const { stdout, code } = await cli.run(['-p', 'Go', '-m', model, '--team', 'web'])
    expect([stdout, code]).toEqual(['All is done.\n', 0])
    const status = await cli.json(['status', 'web'])
    expect(status).toMatchObject({ name: 'web', tasks: { completed: 1, pending: 0 }, breaker: 'closed', requests: [] })
    expect((status as { members: object[] }).members).toMatchObject([
      { name: 'lead', calls: expect.any(Number) },
      { name: 'ada', role: 'ada' },
    ])
    const { stdout: shown } = await cli.run(['status', 'web'])
    expect(shown).toMatch(/^web {2}at/)
    expect(shown).toContain('tasks: 0 pending (0 ready), 0 in progress, 1 completed')
    expect(shown).toContain("commands can alter the team's files")
  }) // A62, B10

  it('tells a terminal who joins, who takes and completes what, and who writes to whom', async () => {
    const model = story({
      calls: [
        call('SendMessage', { type: 'message', to: 'lead', content: 'The ground is hard.' }),
        call('TaskUpdate', { taskId: '1', status: 'completed', result: 'dug' }),
      ],
    })
    await cli.ok('team create web')
    const words = ['-p', 'Go', '-m', model, '--team', 'web']
    const lines = stderrWithoutSandboxWarning(await cli.run(words, { isStderrTerminal: true })).split('\n')
    for (const line of [
      '[lead] adds #1 dig (for any role)',
      '[ada] joins as ada',
      '[ada] takes #1 dig',
      '[ada] → lead: The ground is hard.',
      '[ada] completed #1 dig: dug',
    ])
      expect(lines).toContain(line)
    expect(lines.join()).not.toContain('TaskUpdate')
  })

  it('exits 4 and says so when tasks are left', async () => {
    const model = story({ calls: [call('TaskUpdate', { taskId: '1', status: 'failed', reason: 'rock' })] })
    await cli.ok('team create web')
    const { code, stderr } = await cli.run(['-p', 'Go', '-m', model, '--team', 'web'])
    expect(code).toBe(4)
    expect(stderr).toContain('Unfinished tasks: 1 failed. See: deskmates task list --team web')
  }) // A90

  it('is listed and gone on with by resume; what is unknown is named', async () => {
    const model = story({ calls: [call('TaskUpdate', { taskId: '1', status: 'completed' })] })
    await cli.ok('team create web')
    await cli.run(['-p', 'Go', '-m', model, '--team', 'web'])
    expect(await cli.json(['resume'])).toMatchObject([{ name: 'web', members: ['ada'], openTasks: 0 }])
    const { code } = await cli.run(['resume', 'web', '-m', model])
    expect(code).toBe(0)
    const missing = await cli.run(['resume', 'missing', '-m', model])
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no team missing')])
    expect(missing.stderr).toMatch(/See: deskmates sessions\n$/)
  }) // F33

  it('says in one line that there is nothing to resume: no session, or no unfinished work', async () => {
    const none = await cli.run('resume', { isTerminal: true })
    const begin = "There are no sessions here. Start one: deskmates -p 'what to do'\n"
    expect(none).toEqual({ code: 0, stdout: '', stderr: begin })

    const model = script([{ text: 'Hello.' }])
    await cli.ok('team create web')
    await cli.ok(['-p', 'hi', '-m', model, '--team', 'web'])
    const more = `Give it a new prompt: deskmates -r web -m ${model} -p 'what to do'`
    const settled = await cli.run(['resume', 'web', '-m', model])
    const stderr = `Nothing to resume: all work is finished. ${more}\n`
    expect({ ...settled, stderr: stderrWithoutSandboxWarning(settled) }).toEqual({ code: 0, stdout: '', stderr })
  })

  it('is at rest for every process once its session is closed, although its process lives on', async () => {
    await using workspace = await openWorkspace({ cwd: cli.dir, env: cli.env })
    const session = await withAda(workspace)
    expect(await cli.json(['resume'])).toMatchObject([{ name: 'web', state: 'at work', members: ['ada'] }])
    await session.close()
    expect(await cli.json(['resume'])).toMatchObject([{ name: 'web', state: 'at rest', members: ['ada'] }])
    expect(await cli.json(['status', 'web'])).toMatchObject({
      runtime: null,
      members: [{ status: 'idle' }, { name: 'ada', status: 'idle' }],
    })
  }) // F33

  it('is shown as interrupted when its process died, and no agent as working', async () => {
    await using workspace = await openWorkspace({ cwd: cli.dir, env: cli.env })
    {
      await using team = await openTeam(workspace.store, 'web')
      const gone = workspace.store.presence.self.replace(/-\d+-\d+$/, '-999999999-1')
      await team.run({ type: 'team.create', team: 'web' })
      for (const name of ['lead', 'ada']) await team.run({ type: 'member.spawn', name, role: 'dev', runtime: gone })
      await team.run({ type: 'supervise', runtime: gone })
    }
    expect(await cli.json(['status', 'web'])).toMatchObject({
      state: 'interrupted',
      members: [{ name: 'lead' }, { name: 'ada', status: 'interrupted' }],
    })
    expect((await cli.run(['status', 'web'])).stdout).toContain('resume it with: deskmates resume web')
    expect(await cli.json(['resume'])).toMatchObject([{ name: 'web', state: 'interrupted' }])
  }) // F33

  it('shows a member that claims a freed task what the earlier owner had done', async () => {
    const parts = [
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: [
          call('TaskCreate', { subject: 'dig', description: '' }),
          call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1' }),
        ],
      },
      { agent: 'ada', when: { answer: 1 }, calls: [call('glob', { pattern: '*.spade' })] },
      {
        agent: 'ada',
        when: { answer: 2 },
        calls: [call('TaskUpdate', { taskId: '1', status: 'failed', reason: 'rain' })],
      },
      { times: 'always', text: 'Well.' },
    ]
    await cli.ok(['team', 'create', 'web'])
    const run = await cli.run(['-p', 'Go', '-m', script(parts), '--team', 'web'])
    expect(run.code, run.stderr).toBe(4)
    const team = ['--team', 'web']
    await cli.ok(['team', 'join', 'ci', '--role', 'ci', ...team])
    await cli.ok(['task', 'update', '1', '--status', 'pending', ...team])
    const claimed = await cli.json(['task', 'claim', '1', '--as', 'ci', ...team])
    expect(claimed).toMatchObject({
      earlierAttempts: [
        {
          owner: 'ada',
          end: 'reopened',
          reason: 'rain',
          lastCalls: [expect.stringContaining('*.spade'), expect.anything()],
        },
      ],
    })
    // The one who forgot to look gets it again.
    const { stdout } = await cli.run(['task', 'claim', '--as', 'ci', ...team])
    expect(stdout).toContain('ada held this task before (reopened: rain). Its last tool calls:')
    expect(stdout).toContain('*.spade')
    expect(stdout).toContain('before you repeat any')
  }) // T46

  it('counts what its further teams have left when it is listed', async () => {
    const model = scriptedModel({
      parts: [
        {
          agent: 'lead',
          when: { user: 'Go' },
          calls: [
            call('TeamCreate', { team_name: 'extra' }),
            call('Task', { name: 'bob', team_name: 'extra', prompt: 'Hello.' }),
          ],
        },
        { agent: ['lead', 'bob'], times: 'always', text: 'Here.' },
      ],
    })
    await using workspace = await openWorkspace({ cwd: cli.dir, env: cli.env })
    const session = await openSession({ workspace, model, team: 'web' })
    for await (const _ of session.run('Go'));
    await session.close()
    expect(await cli.json(['resume'])).toMatchObject([{ name: 'web', members: ['bob'], teams: ['extra'] }])
  })

  it('is deleted while it is open: every agent stops first, and its lead is notified', async () => {
    await using workspace = await openWorkspace({ cwd: cli.dir, env: cli.env })
    const session = await withAda(workspace)
    expect(await cli.json(['team', 'delete', 'web'])).toMatchObject({ deleted: true, stopped: ['ada'] })
    await session.team.refresh().catch(() => {})
    expect(memberNamed(session.team.state, 'ada')?.status).toBe('stopped')
    const loop = session.run('Go on')
    let step = await loop.next()
    while (!step.done) step = await loop.next()
    expect(step.value.kind).toBe('error')
    // What it would still write has nowhere to go.
    await session.close().catch(() => {})
  }) // A82, F32
})
