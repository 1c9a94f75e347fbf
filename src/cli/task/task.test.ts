import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { systemClock } from '../../journal/clock.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { openWorkspace } from '../../workspace.ts'

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
  await cli.ok('team join ada --role dev')
  await cli.ok('team join bob --role qa')
})
afterEach(() => cli.close())

const ids = (tasks: { id: string }[]) => tasks.map(({ id }) => id)

describe('task add', () => {
  it('prints the task with all it was given', async () => {
    await cli.ok('task add first')
    const task = await cli.json([
      ...[
        'task',
        'add',
        'Write the parser',
        '--description',
        'by hand',
        '--blocked-by',
        '1',
        '--priority',
        '8',
        '--estimate',
        '3',
      ],
      ...['--files', 'src/{a,b}.ts, ./src//parser/', '--files', 'README.md', '--role', 'dev', '--assignee', 'ADA'],
    ])
    expect(task).toEqual({
      id: '2',
      subject: 'Write the parser',
      description: 'by hand',
      activeForm: 'Working on: Write the parser',
      status: 'pending',
      owner: null,
      assignee: 'ada',
      role: 'dev',
      priority: 8,
      estimate: 3,
      blockedBy: ['1'],
      waitsFor: ['1'],
      waitsForFailed: [],
      blocks: [],
      files: ['src/{a,b}.ts', 'src/parser/', 'README.md'],
      attempts: 0,
      ended: [],
      result: null,
      commit: null,
      reason: null,
      leaseUntil: null,
      createdBy: 'user',
      createdAt: cli.clock.now(),
      claimedAt: null,
      completedAt: null,
      seq: task.seq,
    })
  }) // A41, B61

  it('refuses dependencies that do not exist and paths outside', async () => {
    expect(await cli.refused('task add x --blocked-by 7')).toBe('unknown_dependency')
    expect(await cli.refused('task add x --files ../y')).toBe('invalid')
    expect(await cli.refused('task add x --assignee ghost')).toBe('unknown_member')
    expect(await cli.refused(['task', 'add', '  '])).toBe('invalid')
    expect(await cli.json('task list')).toEqual([])
  }) // F18
})

describe('a board that is one chain of 3000 tasks', () => {
  it('is listed, claimed from and checked', async () => {
    await using workspace = await openWorkspace({ cwd: cli.dir, env: cli.env, warn() {} })
    {
      await using team = await openTeam(workspace.store, 'default')
      const tasks = Array.from({ length: 3000 }, (_, i) => ({
        subject: `step ${i + 1}`,
        ...(i > 0 && { blockedBy: [`+${i}`] }),
      }))
      await team.run({ type: 'task.add', tasks })
    }
    expect((await cli.ok('task list')).trim().split('\n')).toHaveLength(3000)
    expect(ids(await cli.json('task list --ready'))).toEqual(['1'])
    expect(await cli.json('task claim --as ada')).toMatchObject({ id: '1' })
    expect(await cli.json('task complete 1 --as ada')).toMatchObject({ status: 'completed' })
    expect(await cli.json('task show 3000')).toMatchObject({ waitsFor: ['2999'] })
    await cli.ok('check')
  }, 60_000) // T30
})

describe('task list', () => {
  it('shows the board in the order of numbers, with owner and what is waited for', async () => {
    for (let i = 1; i <= 11; i++) await cli.ok(`task add t${i}${i === 3 ? ' --blocked-by 1,2' : ''}`)
    await cli.ok('task claim 1 --as ada')
    await cli.ok('task claim 2 --as bob')
    await cli.ok('task complete 2 --as bob')
    expect(ids(await cli.json('task list'))).toEqual([...Array(11).keys()].map((i) => String(i + 1)))
    const text = await cli.ok('task list')
    expect(text.split('\n').slice(0, 3)).toEqual([
      '1   in_progress  ada  t1',
      '2   completed    bob  t2',
      '3   pending           t3 (waits for 1)',
    ])
    expect((await cli.run('task list', { isTerminal: true })).stdout).toContain('SUBJECT')
    expect(ids(await cli.json('task list --status claimed'))).toEqual(['1'])
    expect(ids(await cli.json('task list --status complete'))).toEqual(['2'])
  }) // A46, F17

  it('--status takes what a task on the board can be, so not deleted, with the way to what is', async () => {
    await cli.ok('task add one')
    await cli.ok('task update 1 --status deleted')
    const { code, stdout, stderr } = await cli.run('task list --status deleted')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Use pending, in_progress, completed or failed; or see: deskmates log --grep deleted')
    expect(await cli.ok('log --grep deleted')).toContain('deleted task 1\n')
    expect((await cli.run('task list --status banana')).code).toBe(2)
  })

  it('says that what is waited for failed, for people and for programs', async () => {
    for (const words of ['task add one', 'task add two', 'task add three --blocked-by 1,2']) await cli.ok(words)
    await cli.ok('task claim 1 --as ada')
    await cli.ok(['task', 'fail', '1', '--as', 'ada', '--reason', 'no access'])
    expect((await cli.ok('task list')).split('\n')[2]).toBe('3  pending       three (waits for 1 (failed), 2)')
    expect(await cli.ok('task show 3')).toContain('waits for  1 (failed), 2\n')
    expect(await cli.json('task show 3')).toMatchObject({ waitsFor: ['1', '2'], waitsForFailed: ['1'] })
    expect((await cli.json('task list'))[2]).toMatchObject({ waitsFor: ['1', '2'], waitsForFailed: ['1'] })
    await cli.ok('task claim 2 --as bob')
    const { stderr } = await cli.run('task claim --as ada')
    expect(stderr).toBe('Nothing to claim right now: 1 task pending, 1 waiting for failed tasks.\n')
    expect(JSON.parse(cli.read('.tasks', 'default', '3.json'))).toMatchObject({ waitsForFailed: ['1'] })
    await cli.ok('task update 1 --status pending')
    expect((await cli.ok('task list')).split('\n')[2]).toContain('three (waits for 1, 2)')
  })

  it('says so when it is empty', async () => {
    expect(await cli.run('task list')).toEqual({ code: 0, stdout: '', stderr: 'No tasks in team default.\n' })
  })

  it('--ready leaves out what waits, is held, reserved for others or needs files in use', async () => {
    await cli.ok('task add held --files src/api/')
    await cli.ok('task claim 1 --as bob')
    await cli.ok('task add overlapping --files src/api/users.ts')
    await cli.ok('task add waiting --blocked-by 1')
    await cli.ok('task add for-qa --role qa')
    await cli.ok('task add for-ada --assignee ada')
    await cli.ok('task add open')
    await cli.ok('task add urgent --priority 9')
    expect(ids(await cli.json('task list --ready'))).toEqual(['7', '4', '5', '6'])
    expect(ids(await cli.json('task list --ready --as ada'))).toEqual(['5', '7', '6'])
    expect(await cli.json('task list --ready --as bob')).toEqual([])
    expect(ids([await cli.json('task claim --as ada')])).toEqual(['5'])
    expect(await cli.refused('task list --ready --as ghost')).toBe('unknown_member')
  }) // A78, C43, B60

  it('shows a lease that is over without writing it, and --ready counts on it', async () => {
    await cli.ok('task add x')
    await cli.ok('task claim --as ada --lease 10m')
    cli.clock.advance(601)
    const journal = cli.read('.teams', 'default', 'journal.jsonl')
    expect(await cli.json('task list')).toMatchObject([{ status: 'in_progress', owner: 'ada', note: 'lease over' }])
    expect(await cli.ok('task list')).toContain('x (lease over)')
    expect(await cli.ok('task show 1')).toContain('in_progress (lease over)')
    expect(await cli.json('task list --ready --as bob')).toMatchObject([{ id: '1', status: 'pending' }])
    expect(cli.read('.teams', 'default', 'journal.jsonl')).toBe(journal)
  })
})

describe('task show', () => {
  it('shows one task whole, or says that it is unknown', async () => {
    const added = await cli.json('task add x')
    expect(await cli.json('task show 1')).toEqual(added)
    for (const id of ['2', 'x', '../1', '01', '1e0', '__proto__', 'constructor'])
      expect(await cli.refused(['task', 'show', id])).toBe('unknown_task')
  }) // A42

  it('cannot be used to control the terminal of another user', async () => {
    await cli.ok(['task', 'add', 'x\u001b[2Jy', '--description', 'a\u001b]0;evil\u0007b'])
    expect(await cli.ok('task show 1')).toContain('#1 x\ufffd[2Jy')
    expect(await cli.ok('task show 1')).not.toContain('\u001b')
    expect(await cli.ok('task list')).not.toContain('\u001b')
  })
})

describe('task claim', () => {
  it('takes the next ready task or the named one, which is kept for its owner', async () => {
    await cli.ok('task add low --priority 1')
    await cli.ok('task add high --priority 9')
    expect(await cli.json('task claim --as ada')).toMatchObject({ id: '2', owner: 'ada', status: 'in_progress' })
    expect(await cli.refused('task claim 2 --as bob')).toBe('wrong_state')
    expect(await cli.json('task claim 1 --as bob')).toMatchObject({ id: '1', owner: 'bob' })
    expect(await cli.json('task claim 1 --as BOB')).toMatchObject({ id: '1', attempts: 1 })
    expect(await cli.refused('task claim 2 --as bob')).toBe('holds_another')
    expect(await cli.refused('task claim 99 --as bob')).toBe('unknown_task')
  }) // A47, A48, A79, F7

  it('prints null and exits 0 when there is nothing to claim, and tells people why', async () => {
    expect(await cli.json('task claim --as ada')).toBeNull()
    expect(await cli.run('task claim --as ada')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Nothing to claim right now: no task is pending.\n',
    })
    await cli.ok('task add a --role qa')
    await cli.ok('task add b --blocked-by 1')
    await cli.ok('task add c --assignee bob')
    const { stderr } = await cli.run('task claim --as ada')
    expect(stderr).toContain('3 tasks pending, 1 for another role, 1 waiting for other tasks, 1 assigned to others.')
    expect(await cli.refused('task claim 1 --as ada')).toBe('role_mismatch')
    expect(await cli.refused('task claim 2 --as ada')).toBe('not_ready')
    expect(await cli.refused('task claim 3 --as ada')).toBe('assigned_to_other')
  }) // F25, B45

  it('holds the files of a task from claim to completion', async () => {
    await cli.ok('task add a --files src/api/')
    await cli.ok('task add b --files src/api/users.ts')
    await cli.ok('task claim 1 --as ada')
    expect(await cli.refused('task claim 2 --as bob')).toBe('files_overlap')
    await cli.ok('task complete 1 --as ada')
    await cli.ok('task claim 2 --as bob')
  }) // C44

  it('with a lease ends at the next claim after it was not renewed', async () => {
    await cli.ok('task add x')
    expect((await cli.json('task claim --as ada --lease 90')).leaseUntil).toBe(cli.clock.now() + 90)
    cli.clock.advance(60)
    expect((await cli.json('task renew 1 --as ada')).leaseUntil).toBe(cli.clock.now() + 90)
    cli.clock.advance(60)
    expect(await cli.refused('task claim 1 --as bob')).toBe('wrong_state')
    cli.clock.advance(31)
    expect(await cli.json('task claim 1 --as bob')).toMatchObject({
      owner: 'bob',
      attempts: 2,
      ended: [{ owner: 'ada', end: 'lease ended' }],
    })
    expect(await cli.refused('task renew 1 --as ada')).toBe('not_owner')
    expect(await cli.refused('task complete 1 --as ada')).toBe('not_owner')
  }) // F24, F46, C81

  it('--wait gets what becomes ready later', async () => {
    await cli.ok('task add a')
    await cli.ok('task add b --blocked-by 1')
    await cli.ok('task claim 1 --as ada')
    const waiting = cli.json('task claim --as bob --wait')
    await cli.ok('task complete 1 --as ada')
    expect(await waiting).toMatchObject({ id: '2', owner: 'bob' })
    const named = cli.json('task claim 2 --as ada --wait')
    await cli.ok('task release 2 --as bob')
    expect(await named).toMatchObject({ id: '2', owner: 'ada' })
  }) // A80

  it('--wait ends with its time, at once on what will not change, and with a signal', async () => {
    const late = { clock: { ...systemClock, now: () => Date.now() / 1000 } }
    expect(await cli.json('task claim --as ada --wait 1', late)).toBeNull()
    await cli.ok('task add a --role qa')
    expect(await cli.refused('task claim 1 --as ada --wait')).toBe('role_mismatch')
    expect(await cli.refused('task claim 99 --as ada --wait')).toBe('unknown_task')
    const stop = new AbortController()
    const waiting = cli.json('task claim --as ada --wait', { signal: stop.signal })
    stop.abort()
    expect(await waiting).toBeNull()
  })
})

describe('ending a task', () => {
  it('complete is for the owner, keeps result and commit, and says what is ready now', async () => {
    await cli.ok('task add a')
    await cli.ok('task add b --blocked-by 1')
    await cli.ok('task add c --blocked-by 1,2')
    expect(await cli.refused('task complete 1 --as ada')).toBe('wrong_state')
    await cli.ok('task claim 1 --as ada')
    expect(await cli.refused('task complete 1 --as bob')).toBe('not_owner')
    const { stdout, stderr } = await cli.run('task complete 1 --as ada --result done --commit 1f3c9ab')
    expect(stdout).toContain('1f3c9ab')
    expect(stderr).toBe('Now ready: b\n')
    expect(await cli.json('task show 1')).toMatchObject({
      status: 'completed',
      owner: 'ada',
      result: 'done',
      commit: '1f3c9ab',
      blocks: ['2', '3'],
    })
    expect(await cli.json('task show 3')).toMatchObject({ blockedBy: ['1', '2'], waitsFor: ['2'] })
    expect((await cli.run('task complete 1 --as ada')).stderr).toContain('already completed')
  }) // A45, B63, C45

  it('claims the next task for its owner with --next, and says when there is none', async () => {
    for (const subject of ['a', 'b', 'c']) await cli.ok(`task add ${subject}`)
    await cli.ok('task claim 1 --as ada')
    expect(await cli.json('task complete 1 --as ada --next')).toMatchObject({
      id: '1',
      status: 'completed',
      next: { id: '2', status: 'in_progress', owner: 'ada' },
    })
    const failed = await cli.run('task fail 2 --as ada --reason hard --next')
    expect(failed.stdout).toContain('#2 b')
    expect(failed.stdout).toContain('#3 c')
    const last = await cli.run('task complete 3 --as ada --next')
    expect(last.stderr).toBe('No next task right now.\n')
    expect(last.stdout).not.toContain('next')
  })

  it('release gives it back; only the user releases the claim of another member, and that is recorded', async () => {
    await cli.ok('task add a')
    await cli.ok('task claim 1 --as ada')
    expect(await cli.refused('task release 1 --as bob')).toBe('not_owner')
    expect(await cli.refused('task release 1 --as bob --force')).toBe('not_allowed')
    expect(await cli.refused('task release 1')).toBe('not_owner')
    expect(await cli.json('task release 1 --force')).toMatchObject({
      status: 'pending',
      ended: [{ owner: 'ada', end: 'released', reason: 'forced by user' }],
    })
    await cli.ok('task claim 1 --as ada')
    expect(await cli.json('task release 1 --as ada')).toMatchObject({ status: 'pending', owner: null, attempts: 2 })
  })

  it('fail keeps the reason, tells the lead, and leaves dependents blocked until it is reopened', async () => {
    await cli.ok('task add a')
    await cli.ok('task add b --blocked-by 1')
    await cli.ok('task claim 1 --as ada')
    expect(await cli.json('task fail 1 --as ada --reason broken')).toMatchObject({
      status: 'failed',
      reason: 'broken',
    })
    expect(await cli.json('inbox lead')).toMatchObject([{ type: 'error', from: 'ada', task: '1' }])
    expect(await cli.json('task claim --as bob')).toBeNull()
    expect(await cli.json('task update 1 --status pending')).toMatchObject({ status: 'pending', attempts: 1 })
  }) // F6
})

describe('task update', () => {
  it('changes texts, order, files, role, assignee and edges, and takes them away again', async () => {
    await cli.ok('task add a')
    await cli.ok('task add b')
    const words =
      'task update 2 --subject B --description d --priority 7 --estimate 4 --files x,y/ --role dev --assignee ada'
    expect(await cli.json(`${words} --add-blocked-by 1`)).toMatchObject({
      subject: 'B',
      description: 'd',
      priority: 7,
      estimate: 4,
      files: ['x', 'y/'],
      role: 'dev',
      assignee: 'ada',
      blockedBy: ['1'],
    })
    expect(await cli.json('task show 1')).toMatchObject({ blocks: ['2'] })
    expect(await cli.refused('task update 1 --add-blocked-by 2')).toBe('dependency_cycle')
    expect(await cli.refused('task update 1 --add-blocked-by 1')).toBe('dependency_cycle')
    const cleared = ['--files', '', '--role', '', '--assignee', '', '--remove-blocked-by', '1']
    expect(await cli.json(['task', 'update', '2', ...cleared])).toMatchObject({
      files: [],
      role: null,
      assignee: null,
      blockedBy: [],
    })
    expect((await cli.run('task update 2 --subject B')).stderr).toContain('already like that')
  }) // A43, A44, F21, F26

  it('reopens, deletes and knows the old words for states', async () => {
    await cli.ok('task add a')
    await cli.ok('task add b --blocked-by 1')
    expect(await cli.refused('task update 1 --status deleted')).toBe('has_dependents')
    expect(await cli.run('task update 1 --status deleted --detach')).toMatchObject({
      code: 0,
      stderr: 'Task 1 deleted.\n',
    })
    expect(await cli.json('task list')).toMatchObject([{ id: '2', blockedBy: [] }])
    expect(await cli.json('task update 2 --status claimed --as ada')).toMatchObject({
      status: 'in_progress',
      owner: 'ada',
    })
    expect(await cli.json('task update 2 --status complete --as ada')).toMatchObject({ status: 'completed' })
    expect(await cli.json('task update 2 --status available')).toMatchObject({ status: 'pending', attempts: 1 })
    expect(await cli.json('task add next')).toMatchObject({ id: '3' })
  }) // A40, F19, F20

  it('lets a member change its own words only', async () => {
    await cli.ok('task add mine --as ada')
    await cli.ok('task add theirs')
    await cli.ok('task update 1 --subject better --as ada')
    expect(await cli.refused('task update 1 --priority 9 --as ada')).toBe('not_allowed')
    expect(await cli.refused('task update 2 --subject x --as ada')).toBe('not_allowed')
    expect(await cli.refused('task update 1 --add-blocked-by 2 --as ada')).toBe('not_allowed')
  })
})
