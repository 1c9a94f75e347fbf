import { describe, expect, it } from 'vitest'
import { memberNamed } from '../../../team/state.ts'
import { memoryTeamControl, teamToolHarness } from '../../../testing/harnesses/team-tool-harness.ts'

describe('Task with a name', () => {
  it('creates a teammate in the current team from a prompt and a name', async () => {
    const lead = await teamToolHarness('lead')
    expect(await lead.ok('Task', { prompt: 'You are eve.', name: 'eve' })).toContain(
      "Spawned 'eve' (role: teammate) in your team; it is working now, without an initial task.",
    )
    expect(lead.control.spawnRequests.at(-1)).toEqual({ name: 'eve', prompt: 'You are eve.' })
    const { control } = lead
    await lead.ok('TaskCreate', { subject: 'one', description: '' })
    const plan = { role: 'dev', agent_type: 'explore', model: 'a/b', task_id: '1', require_plan: true }
    const text = await lead.ok('Task', { prompt: 'x', name: 'dan', team_name: 'web', ...plan })
    expect(text).toContain(
      "Spawned 'dan' (role: dev) in your team; it is working now, on task #1. Its plan comes to you",
    )
    expect(control.spawnRequests.at(-1)).toMatchObject({
      agentType: 'explore',
      model: 'a/b',
      task: '1',
      requirePlan: true,
    })
    expect(control.team().state.tasks.get('1')).toMatchObject({ status: 'in_progress', owner: 'dan' })
  }) // A60

  it('refuses an invalid name, a working teammate, and a team without a name', async () => {
    const lead = await teamToolHarness('lead')
    expect(await lead.no('Task', { prompt: 'x', name: 'ada' })).toContain('ada is starting. Wait until it is idle')
    expect(await lead.no('Task', { prompt: 'x', name: '../x' })).toContain('is not a name')
    expect(await lead.no('Task', { prompt: 'x', team_name: 'api' })).toContain('name: is needed with team_name')
    expect(await lead.no('Task', { prompt: 'x', name: 'eve', agent_type: 'poet' })).toContain('Known types: explore')
    expect(await lead.no('Task', { prompt: 'x', name: 'eve', task_id: '9' })).toContain('eve was not spawned')
    expect(memberNamed(lead.control.team().state, 'eve')).toBeUndefined()
  }) // A60, F31

  it('still runs a subagent without one', async () => {
    expect(await (await teamToolHarness('lead')).ok('Task', { prompt: 'x' })).toBe('did: x')
  })
})

describe('spawn_teammate', () => {
  it('creates a teammate, or reactivates a stopped one with its new role', async () => {
    const lead = await teamToolHarness('lead', 'simple')
    const eve = { name: 'eve', role: 'coder', prompt: 'Write code.' }
    expect(await lead.ok('spawn_teammate', eve)).toContain("Spawned 'eve' (role: coder) in your team")
    expect(await lead.no('spawn_teammate', eve)).toContain('eve is starting.')
    await lead.control.team().run({ type: 'member.stop', name: 'eve' })
    expect(await lead.ok('spawn_teammate', { ...eve, role: 'tester' })).toContain(
      "'eve' (role: tester) is back in your team, with what it knew",
    )
    expect(memberNamed(lead.control.team().state, 'eve')).toMatchObject({ role: 'tester', generation: 2 })
    expect(await lead.no('Task', { prompt: 'x', name: 'fay' })).toContain('a teammate is created with spawn_teammate')
  }) // B5, D3
})

describe('TeamCreate and TeamDelete', () => {
  it('create a team that becomes the current one, recognise it again, and stop all its members', async () => {
    const lead = await teamToolHarness('lead')
    expect(await lead.ok('TeamCreate', { name: 'api' })).toContain("Team 'api' created. You lead it")
    expect(await lead.ok('TeamCreate', { name: 'api' })).toContain("Team 'api' already exists, and you lead it.")
    await lead.ok('TaskCreate', { subject: 'in api', description: '' })
    await lead.ok('Task', { prompt: 'x', name: 'eve' })
    expect(lead.control.team('api').state.tasks.size).toBe(1)
    expect(lead.control.team().state.tasks.size).toBe(0)
    expect(await lead.ok('TaskList', { team_name: 'own' })).toBe('No tasks.')
    expect(await lead.ok('TeamDelete', { name: 'api' })).toBe(
      "Team 'api' deleted, 1 teammate notified. All its agents have stopped.\neve: stopped",
    )
    expect(await lead.no('TeamDelete', { name: 'api' })).toContain("Team 'api' not found.")
    expect(await lead.no('TeamDelete', { name: 'web' })).toContain('cannot delete its own team')
    expect(await lead.no('TeamCreate', { name: '../api' })).toContain('is not a name')
  }) // A58
})

describe('an agent without a team', () => {
  it('gets an error from team tools', async () => {
    const lead = await teamToolHarness('lead')
    const { taskList } = await import('../board/task-list.ts')
    expect(await taskList.run({}, { ...lead.context, memberships: () => [] })).toEqual({
      text: 'You are in no team.',
      isError: true,
    })
    expect((await memoryTeamControl()).teams).toEqual(['web'])
  })
})
