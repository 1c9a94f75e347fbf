import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { AGENT_TEAMS_VARIABLE } from '../../plan/team-mode.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const MAIN = '.deskmates/organisation/organisation.yaml'

function configure(config: object): void {
  mkdirSync(join(cli.dir, '.yolo-planning'), { recursive: true })
  writeFileSync(join(cli.dir, '.yolo-planning/config.json'), JSON.stringify(config))
}

function edit(path: string, from: string | RegExp, to: string): void {
  const file = join(cli.dir, path)
  const text = readFileSync(file, 'utf8')
  const changed = text.replace(from, to)
  if (changed === text) throw new Error(`${path} does not hold ${from}`)
  writeFileSync(file, changed)
}

describe('org init', () => {
  it('writes the files of the template, and nothing the second time', async () => {
    const { written } = await cli.json('org init engineering')
    expect(written).toContain('organisation.yaml')
    expect(written).toContain('roles/qa-code.md')
    expect(cli.read(MAIN)).toContain('name: yolo-{department}')
    expect(await cli.json('org init engineering')).toMatchObject({ written: [], kept: written })
    const { departments, roles } = await cli.json('org show --all')
    const shown = Object.entries<{ lead: string; roles: string[] }>(departments).map(([name, { lead, roles: own }]) => [
      name,
      lead,
      own.join(' '),
    ])
    const both = 'architect senior dev tester qa qa-code'
    expect(shown).toEqual([
      ['backend', 'yolo-lead', `${both} security`],
      ['frontend', 'yolo-fe-lead', both],
      ['uiux', 'yolo-ux-lead', both],
    ])
    const shared = Object.keys(roles).filter((role) => role !== 'lead' && !`${both} security`.split(' ').includes(role))
    expect(shared).toEqual(['owner', 'critic', 'scout', 'debugger'])
    const agents = shown.reduce((sum, [, , own = '']) => sum + 1 + own.split(' ').length, shared.length)
    expect(agents, 'of the source').toBe(26)
  }) // C9, C15

  it('keeps what the user changed, and writes nothing then', async () => {
    await cli.ok('org init engineering')
    edit(MAIN, 'silenceSeconds: 60', 'silenceSeconds: 90')
    const { code, stderr } = await cli.run('org init engineering')
    expect(code).toBe(1)
    expect(stderr).toContain('already holds organisation.yaml with other content')
    expect(cli.read(MAIN)).toContain('silenceSeconds: 90')
  })

  it('writes into another folder, and switches commits on only where the user asks for it', async () => {
    mkdirSync(join(cli.dir, 'shop'))
    await cli.ok('org init engineering shop --auto-commit')
    expect(cli.read('shop', MAIN)).toContain('\nautoCommit: true\n')
    await cli.ok('org init engineering')
    expect(cli.read(MAIN)).toContain('\nautoCommit: false\n')
  })

  it('does not follow a link that a repository put in the place of its folder', async () => {
    mkdirSync(join(cli.dir, 'elsewhere'))
    symlinkSync('elsewhere', join(cli.dir, '.deskmates'))
    const { code, stderr } = await cli.run('org init engineering')
    expect(code).toBe(1)
    expect(stderr).toContain('is not a folder')
  })

  it('names the templates where there is no such one', async () => {
    const { code, stderr } = await cli.run('org init bakery')
    expect(code).toBe(2)
    expect(stderr).toContain("Unknown template 'bakery'. Known templates: engineering.")
  })
})

describe('org show', () => {
  it('shows the planning configuration with its defaults, and names keys that no command follows', async () => {
    await cli.ok('org init engineering')
    configure({ effort: 'thorough', departments: { backend: true } })
    const { stdout, stderr } = await cli.run('org show --all --json')
    expect(JSON.parse(stdout).config).toEqual({
      ...{ effort: 'thorough', autonomy: 'standard', verification_tier: 'standard' },
      ...{ max_tasks_per_plan: 5, agent_teams: true, team_mode: 'auto', security_audit: false },
      approval_gates: { qa_fail: false, security_warn: false, code_review: false, manual_qa: false },
      ...{ departments: { backend: true }, cross_team_handoff: false },
    })
    expect(stderr).toContain('.yolo-planning/config.json: no command follows effort.')
    configure({})
    const { stdout: text, stderr: quiet } = await cli.run('org show --all')
    expect(text).toMatch(/^max_tasks_per_plan +5$/m)
    expect(quiet).toBe('')
  }) // C8

  const env = () => ({ env: { ...cli.env, [AGENT_TEAMS_VARIABLE]: '1' } })
  const lines = async () => (await cli.ok('org show')).split('\n\n')[0]
  beforeEach(async () => {
    await cli.ok('org init engineering')
  })

  it('shows the backend alone where there is no planning configuration', async () => {
    expect((await lines())?.split('\n')).toEqual([
      'multi_dept=false',
      'workflow=backend_only',
      'active_depts=backend',
      'leads_to_spawn=yolo-lead',
      'spawn_order=single',
      'owner_active=false',
      'be_active=true',
      'fe_active=false',
      'ux_active=false',
      'team_mode=task',
      'timeout_minutes=30',
    ])
  }) // C10

  it('puts the design first and frontend and backend together in a parallel workflow', async () => {
    configure({ departments: { frontend: true, uiux: true }, department_workflow: 'parallel', team_mode: 'teammate' })
    expect((await lines())?.split('\n').slice(0, 9)).toEqual([
      'multi_dept=true',
      'workflow=parallel',
      'active_depts=backend,frontend,uiux',
      'leads_to_spawn=yolo-ux-lead|yolo-fe-lead,yolo-lead',
      'spawn_order=wave',
      'owner_active=true',
      'be_active=true',
      'fe_active=true',
      'ux_active=true',
    ])
    expect(await cli.json('org show', env())).toMatchObject({
      team_mode: 'teammate',
      timeout_minutes: 30,
      waves: [
        {
          id: 1,
          depts: [{ dept: 'uiux', spawn_strategy: 'spawnTeam', team_name: 'yolo-uiux' }],
          gate: 'handoff-ux-complete',
        },
        {
          id: 2,
          depts: [
            { dept: 'frontend', spawn_strategy: 'spawnTeam', team_name: 'yolo-frontend' },
            { dept: 'backend', spawn_strategy: 'spawnTeam', team_name: 'yolo-backend' },
          ],
          gate: 'all-depts-complete',
        },
      ],
    })
    configure({ departments: { frontend: true }, department_workflow: 'parallel' })
    expect(await lines(), 'no design, so both at once').toContain('leads_to_spawn=yolo-fe-lead,yolo-lead\n')
  }) // C10, C11, C13, C14

  it('runs one department after the other in a sequential workflow, one-shot without teammates', async () => {
    configure({ departments: { frontend: true, uiux: true }, department_workflow: 'sequential' })
    const { waves, spawn_order } = await cli.json('org show')
    expect(spawn_order).toBe('sequential')
    expect(waves).toEqual([
      { id: 1, depts: [{ dept: 'uiux', spawn_strategy: 'task' }], gate: 'handoff-ux-complete' },
      { id: 2, depts: [{ dept: 'frontend', spawn_strategy: 'task' }], gate: 'handoff-frontend-complete' },
      { id: 3, depts: [{ dept: 'backend', spawn_strategy: 'task' }], gate: 'all-depts-complete' },
    ])
  }) // C1, C11, C13

  it('warns where a workflow needs a second department, and runs the one there is', async () => {
    configure({ department_workflow: 'parallel' })
    const { stdout, stderr } = await cli.run('org show')
    expect(stderr).toContain('The workflow parallel needs a second department; backend runs alone.')
    expect(stdout).toContain('multi_dept=false\nworkflow=backend_only\n')
    configure({ departments: { frontend: true } })
    expect((await cli.run('org show')).stderr).toContain(
      'frontend is active, but the workflow backend_only does not run it',
    )
  }) // C10

  it('leaves the backend out when it is switched off', async () => {
    const departments = { backend: false, frontend: true, uiux: true }
    configure({ departments, department_workflow: 'parallel' })
    expect(await lines()).toContain('active_depts=frontend,uiux\nleads_to_spawn=yolo-ux-lead|yolo-fe-lead\n')
    configure({ departments })
    const { code, stderr } = await cli.run('org show')
    expect(code).toBe(1)
    expect(stderr).toContain('The workflow backend_only runs backend, which is switched off.')
    configure({ departments: { backend: false } })
    expect((await cli.run('org show')).stderr).toContain('No department is active. Switch on one of: backend.')
  }) // C12, F47

  it('refuses an unknown workflow or department, with the known ones', async () => {
    configure({ department_workflow: 'paralel' })
    expect(await cli.refused('org show')).toBe('invalid_departments')
    configure({ departments: { mobile: true } })
    expect((await cli.run('org show')).stderr).toContain(
      'no department mobile. Write some of: backend, frontend, uiux.',
    )
  }) // F40

  it('lists everything that is wrong, with file, line and fix, and says how to begin', async () => {
    edit(MAIN, 'lead: yolo-fe-lead', 'lead: 3')
    edit('.deskmates/organisation/handoffs.yaml', 'to: senior', 'to: seniour')
    const { code, stderr } = await cli.run('org show')
    expect(code).toBe(1)
    expect(stderr).toContain('2 problems in the organisation')
    expect(stderr).toMatch(/organisation\.yaml:\d+: "departments\.frontend\.lead" is 3\. Write the name of the agent/)
    expect(stderr).toMatch(/handoffs\.yaml:\d+: "seniour" is not one of the roles\. Write one of: owner, lead,/)
    const { stderr: none } = await cli.run('org show --cwd .yolo-planning')
    expect(none).not.toContain('This is a bug')
  })

  it('shows another organisation that a user wrote', async () => {
    edit(MAIN, 'workflow: backend_only', 'workflow: both')
    edit(MAIN, 'workflows:\n', 'workflows:\n  both: { order: wave, waves: [[frontend], [backend]] }\n')
    edit(MAIN, 'artefacts: fe-\n    active: false', 'artefacts: fe-\n    active: true')
    expect(await cli.json('org show')).toMatchObject({ workflow: 'both', leads_to_spawn: 'yolo-fe-lead|yolo-lead' })
    edit(MAIN, 'waves: [[frontend], [backend]]', 'waves: [[backend], [frontend]]')
    const { waves } = await cli.json('org show')
    expect(waves.map(({ gate }: { gate: string }) => gate)).toEqual(['handoff-backend-complete', 'all-depts-complete'])
  }) // C13
})

describe('log --handoffs', () => {
  it('prints claims and completions of the board as hand-offs that no agent sent', async () => {
    await cli.ok('org init engineering')
    await cli.ok('team create yolo-backend')
    const team = (words: string) => cli.ok(`${words} --team yolo-backend`)
    await team('team join dev-1 --role dev')
    await team('task add Parse --files src/a.ts')
    await team('task claim 1 --as dev-1')
    await team('task complete 1 --as dev-1')
    const lines = (await team('log --handoffs --json')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'task_claim', author_role: 'dev', payload: { task_id: '1', files: ['src/a.ts'] }, schema_version: 1 },
      { type: 'task_complete', payload: { task_id: '1', status: 'complete' } },
    ])
    expect(await team('log --handoffs')).toContain('task_claim {"task_id":"1","plan_id":null,"files":["src/a.ts"]')
    expect((await cli.run('log --handoffs --all --team yolo-backend')).code).toBe(2)
    const { stderr } = await cli.run(['send', 'dev-1', '{}', '--type', 'task_claim', '--team', 'yolo-backend'])
    expect(stderr).toContain('task_claim is derived from the journal and is not sent')
  }) // C29, C35

  it('prints the content of a hand-off as fields where it is a JSON object, and else as the text it is', async () => {
    await cli.ok('org init engineering')
    await cli.ok('team join dev-1 --role dev')
    const fields = { task: '03-01/T3', plan_id: '03-01', status: 'partial' }
    const contents = [JSON.stringify(fields), 'T3 is done', '{"task":', '["03-01/T3"]', '3', '{"payload":3}']
    for (const content of contents) await cli.ok(['send', 'lead', content, '--type', 'dev_progress', '--from', 'dev-1'])
    const lines = (await cli.ok('log --handoffs --json')).trim().split('\n')
    const shown = lines.map((line) => JSON.parse(line))
    expect(shown.map(({ payload }) => payload)).toEqual([fields, ...contents.slice(1, 5), { payload: 3 }])
    expect(shown[0]).toMatchObject({ type: 'dev_progress', author_role: 'dev', phase: '03', task: '03-01/T3' })
    expect(shown[1]).toMatchObject({ type: 'dev_progress', author_role: 'dev', phase: null, task: null })
    expect(await cli.ok('log --handoffs')).toContain('dev_progress "T3 is done"')
    expect(await cli.ok('inbox lead')).toContain('T3 is done')
  }) // C33
})
