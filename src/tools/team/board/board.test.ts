import { describe, expect, it } from 'vitest'
import { heldBy, unreadOf } from '../../../team/state.ts'
import { teamToolHarness, teamToolsOf } from '../../../testing/harnesses/team-tool-harness.ts'
import { isReady, readyCall } from '../../run-call.ts'
import type { Tool } from '../../tool.ts'
import { taskUpdate } from './task-update.ts'

const task = (subject: string, more: object = {}) => ({ subject, description: `Do ${subject}.`, ...more })

describe('TaskCreate', () => {
  it('returns id, subject and state of the new task, and what it waits for', async () => {
    const lead = await teamToolHarness('lead')
    expect(await lead.ok('TaskCreate', task('schema'))).toBe('Task #1 created: schema (pending, ready).')
    expect(await lead.ok('TaskCreate', task('server', { blockedBy: ['1'], role: 'dev', assignee: 'Ada' }))).toBe(
      'Task #2 created: server (pending, waits for 1, assigned to ada, for the role dev).',
    )
  }) // A41

  it('refuses dependencies that do not exist, and names the tool that shows what does', async () => {
    const lead = await teamToolHarness('lead')
    const text = await lead.no('TaskCreate', task('server', { blockedBy: ['7'] }))
    expect(text).toBe('"server" cannot wait for "7": there is no such task or plan. See: TaskList')
    expect(lead.control.team().state.tasks.size).toBe(0)
  }) // F18
})

describe('TaskList', () => {
  it('shows state, owner and what is waited for, one line each, and says when there is nothing', async () => {
    const lead = await teamToolHarness('lead')
    expect(await lead.ok('TaskList')).toBe('No tasks.')
    await lead.ok('TaskCreate', task('one'))
    await lead.ok('TaskCreate', task('two', { blockedBy: ['1'], files: ['src/api/'] }))
    const ada = teamToolsOf(lead.control, 'ada')
    await ada.ok('TaskUpdate', { taskId: '1', status: 'in_progress' })
    expect(await ada.ok('TaskList')).toBe(
      [
        '#1. [>] one @ada',
        '#2. [ ] two (blocked by: 1; files: src/api/)',
        '2 tasks: 1 pending, 1 in_progress.',
        'You are working on #1 one.',
      ].join('\n'),
    )
    expect(await lead.ok('TaskList', { status: 'available' })).not.toContain('one @ada')
    expect(await lead.no('TaskList', { status: 'banana' })).toContain('pending, in_progress, completed or failed')
  }) // A46, B33

  it('names what the caller could take: unowned, ready, for its role and with no file in use', async () => {
    const lead = await teamToolHarness('lead')
    await lead.ok('TaskCreate', task('free'))
    await lead.ok('TaskCreate', task('waits', { blockedBy: ['1'] }))
    await lead.ok('TaskCreate', task('tests', { role: 'tester' }))
    await lead.ok('TaskCreate', task('bobs', { assignee: 'bob' }))
    await lead.ok('TaskCreate', task('api', { files: ['src/api/'] }))
    await lead.ok('TaskCreate', task('api too', { files: ['src/api/a.ts'] }))
    expect(await teamToolsOf(lead.control, 'ada').ok('TaskList')).toContain(
      'You can take: #1 free; #5 api; #6 api too.',
    )
    await teamToolsOf(lead.control, 'bob').ok('TaskUpdate', { taskId: '5', owner: 'bob' })
    expect(await teamToolsOf(lead.control, 'ada').ok('TaskList')).toContain('You can take: #1 free.')
  }) // C43
})

describe('TaskGet', () => {
  it('shows all of a task but times, and names what is missing', async () => {
    const lead = await teamToolHarness('lead')
    await lead.ok('TaskCreate', task('one'))
    await lead.ok('TaskCreate', task('two', { blockedBy: ['1'] }))
    const shown = JSON.parse(await lead.ok('TaskGet', { task_id: '1' }))
    expect(shown).toMatchObject({ id: '1', subject: 'one', description: 'Do one.', status: 'pending', blocks: ['2'] })
    expect(shown).toMatchObject({ activeForm: 'Working on: one', owner: null, blockedBy: [] })
    expect(Object.keys(shown).filter((key) => /At$|seq|lease/.test(key))).toEqual([])
    expect(await lead.no('TaskGet', { taskId: '9' })).toBe('Task 9 not found. TaskList shows all tasks.')
  }) // A42, A44
})

describe('TaskUpdate', () => {
  it('is repeatable where it only completes a task, and says so', async () => {
    const repeatable = async (input: object) => {
      const ready = await readyCall([taskUpdate as Tool], { name: 'TaskUpdate', input })
      return isReady(ready) && ready.isRepeatable
    }
    expect(await repeatable({ taskId: '1', status: 'completed', result: 'done', commit: 'abc' })).toBe(true)
    expect(await repeatable({ taskId: '1', status: 'completed', addBlocks: ['2'] })).toBe(false)
    for (const status of ['pending', 'in_progress', 'deleted'])
      expect(await repeatable({ taskId: '1', status })).toBe(false)
    const lead = await teamToolHarness('lead')
    await lead.ok('TaskCreate', task('one'))
    const ada = teamToolsOf(lead.control, 'ada')
    await ada.ok('TaskUpdate', { taskId: '1', status: 'in_progress' })
    await ada.ok('TaskUpdate', { taskId: '1', status: 'completed', result: 'first' })
    expect(await ada.ok('TaskUpdate', { taskId: '1', status: 'completed', result: 'again' })).toContain(
      'already completed',
    )
    expect(lead.control.team().state.tasks.get('1')).toMatchObject({ result: 'first' })
  }) // F39, B63

  it('claims by status or by the caller’s name, and returns all details of the task', async () => {
    const lead = await teamToolHarness('lead')
    await lead.ok('TaskCreate', task('one', { files: ['src/a.ts'] }))
    await lead.ok('TaskCreate', task('two'))
    const [ada, bob] = [teamToolsOf(lead.control, 'ada'), teamToolsOf(lead.control, 'bob')]
    const text = await ada.ok('TaskUpdate', { task_id: '1', status: 'claimed', assignee: 'ada' })
    expect(text.split('\n').slice(0, 3)).toEqual([
      'Task #1 claimed for ada, in_progress: one',
      'Do one.',
      'Reserved for you: src/a.ts.',
    ])
    expect(await bob.no('TaskUpdate', { taskId: '1', owner: 'bob' })).toBe('Task 1 is already claimed by ada.')
    expect(await ada.no('TaskUpdate', { taskId: '2', status: 'in_progress' })).toContain('must finish task 1 first')
    expect(await ada.ok('TaskUpdate', { taskId: '1', status: 'in_progress' })).toContain('ada already holds task 1.')
    expect(await bob.ok('TaskUpdate', { taskId: '2', owner: 'BOB' })).toContain('claimed for bob')
    expect(await bob.no('TaskUpdate', { taskId: '9', status: 'in_progress' })).toContain('Task 9 not found.')
    expect(await lead.ok('TaskUpdate', { taskId: '1', owner: 'ada', priority: 7 })).toContain('owned by ada')
  }) // B29, C45

  it('completes with result and commit, and lists what became ready', async () => {
    const lead = await teamToolHarness('lead')
    for (const subject of ['one', 'two']) await lead.ok('TaskCreate', task(subject))
    await lead.ok('TaskCreate', task('three', { blockedBy: ['1', '2'] }))
    const ada = teamToolsOf(lead.control, 'ada')
    expect(await ada.no('TaskUpdate', { taskId: '1', status: 'completed' })).toBe('Task 1 is pending, not in progress.')
    await ada.ok('TaskUpdate', { taskId: '1', status: 'in_progress' })
    expect(await ada.ok('TaskUpdate', { taskId: '1', status: 'complete', commit: 'abc', result: 'done' })).toBe(
      'Task #1 completed: one. No other task became ready.',
    )
    expect(lead.control.team().state.tasks.get('1')).toMatchObject({ result: 'done', commit: 'abc' })
    await ada.ok('TaskUpdate', { taskId: '2', status: 'in_progress' })
    expect(await ada.ok('TaskUpdate', { taskId: '2', status: 'completed' })).toBe(
      'Task #2 completed: two. Ready now: #3 three.',
    )
  }) // A43, A45, C45

  it('fails with a reason, which the lead receives', async () => {
    const lead = await teamToolHarness('lead')
    await lead.ok('TaskCreate', task('one'))
    await lead.ok('TaskCreate', task('two', { blockedBy: ['1'] }))
    const ada = teamToolsOf(lead.control, 'ada')
    await ada.ok('TaskUpdate', { taskId: '1', status: 'in_progress' })
    expect(await ada.no('TaskUpdate', { taskId: '1', status: 'failed' })).toContain('reason: is needed')
    expect(await ada.ok('TaskUpdate', { taskId: '1', status: 'failed', reason: 'no network' })).toBe(
      'Task #1 failed: one. The lead is told. Still blocked by it: 2.',
    )
    expect(unreadOf(lead.control.team().state, 'lead')[0]?.message.content).toContain('no network')
    expect(await lead.ok('TaskUpdate', { taskId: '1', status: 'pending' })).toBe(
      'Task #1 is pending again: one (pending, ready).',
    )
  })

  it('releases the caller’s task; only the lead releases the task of another member', async () => {
    const lead = await teamToolHarness('lead')
    await lead.ok('TaskCreate', task('one'))
    const [ada, bob] = [teamToolsOf(lead.control, 'ada'), teamToolsOf(lead.control, 'bob')]
    await ada.ok('TaskUpdate', { taskId: '1', status: 'in_progress' })
    expect(await bob.no('TaskUpdate', { taskId: '1', status: 'pending' })).toBe(
      'Task 1 is owned by ada, not bob. Ask the lead.',
    )
    expect(await ada.ok('TaskUpdate', { taskId: '1', owner: '', reason: undefined })).toContain('pending again')
    await ada.ok('TaskUpdate', { taskId: '1', status: 'in_progress' })
    expect(await lead.ok('TaskUpdate', { taskId: '1', status: 'pending', assignee: 'bob' })).toBe(
      'Task #1 is pending again: one (pending, ready, assigned to bob). It was taken from ada: tell ada.',
    )
  })

  it('assigns the task where the lead names another owner', async () => {
    const lead = await teamToolHarness('lead')
    await lead.ok('TaskCreate', task('one'))
    expect(await lead.ok('TaskUpdate', { taskId: '1', status: 'in_progress', owner: 'bob' })).toBe(
      'Task #1 updated: one (pending, ready, assigned to bob).',
    )
    expect(heldBy(lead.control.team().state, 'bob')).toBeUndefined()
    const ada = teamToolsOf(lead.control, 'ada')
    expect(await ada.no('TaskUpdate', { taskId: '1', status: 'in_progress' })).toBe('Task 1 is assigned to bob.')
    expect(await ada.no('TaskUpdate', { taskId: '1', owner: 'ada', status: 'pending' })).toContain('Leave one')
    expect(await lead.ok('TaskUpdate', { taskId: '1', owner: null })).toContain('(pending, ready)')
  })

  it('keeps edges on both ends, refuses cycles, and says what took effect before a refusal', async () => {
    const lead = await teamToolHarness('lead')
    for (const subject of ['one', 'two', 'three']) await lead.ok('TaskCreate', task(subject))
    expect(await lead.ok('TaskUpdate', { taskId: '1', addBlocks: ['2', '3'] })).toBe(
      'Task #1 one is unchanged.\nWaiting for it now: 2, 3.',
    )
    expect(await lead.ok('TaskUpdate', { taskId: '3', addBlockedBy: ['2'] })).toBe(
      'Task #3 updated: three (pending, waits for 1, 2).',
    )
    expect(await lead.no('TaskUpdate', { taskId: '1', addBlockedBy: ['3'] })).toContain('cycle: 1 -> 3 -> 2 -> 1')
    await lead.ok('TaskCreate', task('four'))
    const half = await lead.no('TaskUpdate', { taskId: '4', addBlocks: ['3', '9'], priority: 9 })
    expect(half).toBe(
      'There is no task "9". See: TaskList\nThese tasks were changed before that: #3 (pending, waits for 1, 2, 4).',
    )
    expect(lead.control.team().state.tasks.get('4')?.priority).toBe(5)
    const ada = teamToolsOf(lead.control, 'ada')
    expect(await ada.no('TaskUpdate', { taskId: '4', addBlockedBy: ['1'] })).toContain('Only the lead')
  }) // A43, A44, F18

  it('deletes a task that others wait for only with detach', async () => {
    const lead = await teamToolHarness('lead')
    await lead.ok('TaskCreate', task('one'))
    await lead.ok('TaskCreate', task('two', { blockedBy: ['1'] }))
    expect(await lead.no('TaskUpdate', { taskId: '1', status: 'deleted' })).toContain('Delete it with detach: true')
    expect(await lead.ok('TaskUpdate', { taskId: '1', status: 'deleted', detach: true })).toBe('Task #1 deleted: one.')
    expect(await lead.ok('TaskList')).toContain('You can take: #2 two.')
  }) // A43

  it('refuses an unknown status and fields that do not go with the status', async () => {
    const lead = await teamToolHarness('lead')
    await lead.ok('TaskCreate', task('one'))
    expect(await lead.no('TaskUpdate', { taskId: '1', status: 'banana' })).toContain(
      "'banana' is not a task status. Use pending, in_progress, completed, failed, deleted",
    )
    expect(await lead.no('TaskUpdate', { taskId: '1', result: 'x' })).toContain('result: goes with status completed')
    expect(await lead.no('TaskUpdate', { taskId: '1' })).toContain('nothing to change')
    await lead.ok('TaskUpdate', { taskId: '1', status: 'in_progress' })
    await lead.ok('TaskUpdate', { taskId: '1', status: 'completed' })
    expect(await teamToolsOf(lead.control, 'ada').no('TaskUpdate', { taskId: '1', status: 'pending' })).toContain(
      'Only the lead',
    )
  }) // F20
})
