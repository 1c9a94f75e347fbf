import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { resolveDepartments } from '../../organisation/departments/resolve-departments.ts'
import { checkGate, openPhase, readPhase } from '../../session/organisation/phase.ts'
import { writePhaseViews } from '../../session/organisation/phase-views.ts'
import type { Command } from '../../team/command.ts'
import { isRefusal } from '../../team/refusal.ts'
import { engineering, templateFiles } from '../../testing/harnesses/organisation-harness.ts'
import { openWorkspace } from '../../workspace.ts'

const PHASE = '.yolo-planning/phases/03-api'
const CONFIG = { departments: { frontend: true }, department_workflow: 'sequential' }

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
  await cli.ok('org init engineering')
  put('.yolo-planning/config.json', JSON.stringify(CONFIG))
  put(`${PHASE}/03-01.plan.jsonl`, '{}')
})
afterEach(() => cli.close())

function put(path: string, text: string): void {
  mkdirSync(join(cli.dir, path, '..'), { recursive: true })
  writeFileSync(join(cli.dir, path), text)
}

/** Runs commands on the team of a department, as its session does. */
async function record(team: string, ...commands: Command[]): Promise<void> {
  await using workspace = await openWorkspace({ cwd: cli.dir, env: cli.env })
  await using handle = await openTeam(workspace.store, team, { clock: cli.clock })
  await handle.run({ type: 'team.create', team })
  for (const command of commands) {
    const answer = await handle.run(command)
    if (isRefusal(answer)) throw new Error(JSON.stringify(answer))
  }
}

const step = (number: number, status: 'started' | 'completed' | 'skipped'): Command => ({
  type: 'step.change',
  change: { folder: PHASE, step: number, name: `s${number}`, status, artefacts: [], reason: null },
})
const allSteps = () => Array.from({ length: 10 }, (_, i) => [step(i + 1, 'started'), step(i + 1, 'completed')]).flat()
const plan = (id: string): Command => ({
  type: 'plan.load',
  plan: { id, title: id, objective: 'o', wave: 1, folder: PHASE, hash: id, tasks: [] },
})

describe('org gate', () => {
  it('is not passed while a department of the phase has done nothing, and says what is missing', async () => {
    await record('yolo-frontend', ...allSteps(), plan('03-01'))
    const { code, stdout } = await cli.run('org gate all-depts')
    expect(code).toBe(1)
    expect(stdout).toBe('Gate all-depts-complete is not passed:\n  department backend is pending\n')
    await record('yolo-backend', ...allSteps())
    expect(await cli.json('org gate all-depts-complete')).toMatchObject({ gate: 'all-depts-complete', passed: true })
  }) // C71, F47

  it('counts plan files of the folder that no department loaded', async () => {
    put(`${PHASE}/03-02.plan.jsonl`, '{}')
    await record('yolo-frontend', ...allSteps(), plan('03-01'))
    await record('yolo-backend', ...allSteps())
    expect((await cli.run('org gate all-depts')).stdout).toContain('plan 03-02 is not complete')
  }) // C71, F47

  it('of the design passes by journal and valid artefacts, not by files that say so', async () => {
    put(
      '.yolo-planning/config.json',
      JSON.stringify({ departments: { uiux: true }, department_workflow: 'sequential' }),
    )
    const missing = async () => JSON.parse((await cli.run('org gate ux-complete --json')).stdout).missing
    const design = { status: 'complete', type: 'design_handoff', phase: '03', department: 'uiux' }
    put(`${PHASE}/.handoff-ux-complete`, '')
    put(`${PHASE}/.dept-status-uiux.json`, JSON.stringify({ dept: 'uiux', status: 'complete' }))
    put(`${PHASE}/design-handoff.jsonl`, JSON.stringify(design))
    put(`${PHASE}/design-tokens.jsonl`, '\n')
    put(`${PHASE}/component-specs.jsonl`, '{"name":"Button","desc":"d","states":["s"],"status":"draft"}\n')
    expect(await missing()).toEqual([
      'department uiux is pending',
      'hand-off design_handoff is not recorded',
      'design-tokens.jsonl: is empty',
      expect.stringContaining('component-specs.jsonl: line 1: "status"'),
    ])
    const handOff = (status: string): Command => ({
      type: 'handoff.record',
      handOff: {
        ...{ folder: PHASE, kind: 'design_handoff', from: 'uiux', to: 'frontend', status, subjects: [], after: [] },
        content: { ...design, status },
      },
    })
    await record('yolo-uiux', ...allSteps())
    await record('yolo-owner', handOff('in_progress'))
    put(`${PHASE}/design-tokens.jsonl`, '{"cat":"color","name":"primary","val":"#00f"}\n')
    put(`${PHASE}/component-specs.jsonl`, '{"name":"Button","desc":"d","states":["s"],"status":"ready"}\n')
    expect(await missing()).toEqual(['hand-off design_handoff is in_progress, not complete'])
    await record('yolo-owner', handOff('complete'))
    expect(await cli.ok('org gate ux-complete')).toBe('Gate handoff-ux-complete is passed.\n')
  }) // C71, F47

  it('waits until the gate is passed', async () => {
    const clock = {
      now: () => cli.clock.now(),
      in(_seconds: number, ring: () => void) {
        void record('yolo-frontend', ...allSteps()).then(ring)
        return () => {}
      },
    }
    const { code } = await cli.run('org gate handoff-frontend-complete --wait', { clock })
    expect(code).toBe(0)
  }) // C71

  it('ends with a time-out, and names unknown gates', async () => {
    const waiting = cli.run('org gate all-depts --wait --timeout 0')
    const { code, stderr } = await waiting
    expect(code).toBe(1)
    expect(stderr).toBe('TIMEOUT: gate all-depts-complete was not passed within 0 s.\n')
    expect((await cli.run('org gate nothing')).stderr).toContain(
      "There is no gate 'nothing'. Gates: handoff-ux-complete",
    )
    expect((await cli.run('org gate all-depts --timeout soon')).code).toBe(2)
  }) // C71
})

describe('org step', () => {
  const CRITIQUE = '{"id":"C1","cat":"gap","sev":"minor","q":"q","ctx":"c","sug":"s","st":"open"}\n'

  it('exits 1 with every open step and missing artefact, and 0 when the step may begin', async () => {
    const backend = '--department backend'
    const held = await cli.run(`org step 3 ${backend} --json`)
    expect([held.code, JSON.parse(held.stdout)]).toMatchObject([
      1,
      { gate: 'fail', step: 'planning', departments: [{ department: 'backend', gate: 'fail', step: 'planning' }] },
    ])
    expect(JSON.parse(held.stdout).missing).toEqual([
      'backend: step 1 (critique) is not started',
      'backend: step 2 (architecture) is not started',
      expect.stringMatching(/^backend: .*: is missing$/),
    ])
    await record('yolo-backend', step(1, 'skipped'), step(2, 'skipped'))
    expect(await cli.json(`org step planning ${backend}`)).toEqual({
      ...{ gate: 'pass', step: 'planning', missing: [] },
      departments: [{ department: 'backend', gate: 'pass', step: 'planning', missing: [] }],
    })
    expect(await cli.ok(`org step 3 ${backend}`)).toBe('Step 3 (planning) may begin.\n')
  }) // C74, C75

  it('asks every department of the phase, and with --end for what the step leaves behind', async () => {
    await record('yolo-backend', step(1, 'skipped'), step(2, 'skipped'), step(3, 'started'))
    const { code, stdout } = await cli.run('org step planning')
    expect(code).toBe(1)
    expect(stdout).toContain('Step 3 (planning) may not begin:\n  frontend: step 1 (critique) is not started\n')
    expect(stdout).not.toContain('backend:')
    put(`${PHASE}/03-01.plan.jsonl`, '')
    const end = await cli.run('org step planning --department backend --end')
    expect([end.code, end.stdout]).toEqual([1, expect.stringContaining('may not end:\n  backend: *.plan.jsonl: ')])
    put(`${PHASE}/critique.jsonl`, CRITIQUE)
    expect((await cli.run('org step 1 --department backend --end')).code).toBe(0)
  }) // C75

  it('finds the step of a role, and names steps and departments where there is no such one', async () => {
    expect((await cli.run('org step dev')).stdout).toContain('Step 6 (implementation) may not begin')
    expect((await cli.run('org step qa-code')).stdout).toContain('Step 8 (qa) may not begin')
    for (const unknown of ['11', '0', '-', 'wizard', 'constructor', '6.0'])
      expect(await cli.run(['org', 'step', unknown])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`There is no step '${unknown}'`),
      })
    expect((await cli.run('org step 6 --department uiux')).stderr).toContain('Departments: frontend, backend')
    expect((await cli.run('org step')).code).toBe(2)
  }) // C75
})

describe('org status', () => {
  it('shows departments, steps, plans and gates', async () => {
    await record('yolo-frontend', step(1, 'skipped'), step(2, 'started'), plan('03-01'))
    expect(await cli.json('org status')).toMatchObject({
      ...{ phase: '03', phase_name: 'api', status: 'running', wave: 1, total_waves: 2 },
      plans: [{ id: '03-01', status: 'complete' }],
      departments: [
        { dept: 'frontend', status: 'running', step: 's2', plans_complete: 1, plans_total: 1 },
        { dept: 'backend', status: 'pending' },
      ],
      gates: [
        { gate: 'handoff-frontend-complete', passed: false },
        { gate: 'all-depts-complete', passed: false },
      ],
    })
    const text = await cli.ok('org status')
    expect(text).toContain('Phase 03 api: running, wave 1 of 2')
    expect(text).toMatch(/frontend\s+running\s+s2\s+1 of 1/)
  }) // C70, C75

  it('refuses a phase outside of the workspace, and asks for a folder where there are several', async () => {
    expect((await cli.run('org status --phase-dir /')).stderr).toContain('is not a folder inside of the workspace')
    expect((await cli.run('org status --phase-dir none')).stderr).toContain('Name the folder of a phase')
    mkdirSync(join(cli.dir, '.yolo-planning/phases/04-ui'))
    const { stderr } = await cli.run('org status')
    expect(stderr).toContain('has the phases 03-api, 04-ui. Name one with --phase-dir')
    const advised = /like: (.*)/.exec(stderr)?.[1] ?? ''
    await cli.ok('team create web')
    mkdirSync(join(cli.dir, 'docs'))
    expect(await cli.ok(`org status ${advised}`, { cwd: join(cli.dir, 'docs') })).toContain('Phase 03 api')
  })
})

describe('the files of a phase', () => {
  async function write(organisation = engineering()): Promise<void> {
    await using workspace = await openWorkspace({ cwd: cli.dir, env: cli.env })
    const phase = openPhase(
      workspace,
      join(cli.dir, PHASE),
      organisation,
      resolveDepartments(organisation, CONFIG as object),
    )
    const state = await readPhase(phase, workspace, cli.clock)
    expect(checkGate(phase, state, 'all-depts').isPassed).toBe(false)
    writePhaseViews(phase, state)
  }

  it('show departments, steps, contracts and passed gates, and are removed without the artefacts', async () => {
    await record('yolo-frontend', ...allSteps(), plan('03-01'))
    const contract = { subjects: ['GET /users'], status: 'proposed', after: [null], content: { status: 'proposed' } }
    await record('yolo-owner', {
      type: 'handoff.record',
      handOff: { folder: PHASE, kind: 'api_contract', from: 'frontend', to: 'backend', ...contract },
    })
    await write()
    const files = () => readdirSync(join(cli.dir, PHASE)).sort()
    expect(files()).toEqual([
      ...['.dept-status-frontend.json', '.execution-state.json', '.handoff-frontend-complete'],
      ...['03-01.plan.jsonl', 'api-contracts.jsonl'],
    ])
    const status = JSON.parse(cli.read(PHASE, '.dept-status-frontend.json'))
    expect(status).toMatchObject({ dept: 'frontend', status: 'complete', plans_complete: 1, error: null })
    expect(JSON.parse(cli.read(PHASE, 'api-contracts.jsonl'))).toMatchObject({
      type: 'api_contract',
      status: 'proposed',
    })
    put(`${PHASE}/.phase-orchestration.json`, '{}')
    expect(await cli.json('org cleanup --reason complete')).toEqual({
      reason: 'complete',
      removed: ['.dept-status-frontend.json', '.handoff-frontend-complete', '.phase-orchestration.json'],
      kept: [],
    })
    for (const reason of ['failure', 'timeout'])
      expect(await cli.json(`org cleanup --reason ${reason}`)).toMatchObject({ reason, removed: [] })
    expect(files()).toEqual(['.execution-state.json', '03-01.plan.jsonl', 'api-contracts.jsonl'])
    expect((await cli.run('org cleanup --reason whim')).code).toBe(2)
  }) // C70, C72, C73, C75

  it('are one for each department where the name of a hand-off says so', async () => {
    const perf =
      'perf: { from: lead, to: owner, via: file, file: "perf-{department}.jsonl", fields: { p95: number } }\n'
    const organisation = engineering({ 'handoffs.yaml': `${templateFiles()['handoffs.yaml']}\n${perf}` })
    const handOff = (from: string, p95: number): Command => ({
      type: 'handoff.record',
      handOff: {
        ...{ folder: PHASE, kind: 'perf', from, to: 'owner', status: 'recorded', subjects: [], after: [] },
        content: { p95 },
      },
    })
    await record('yolo-owner', handOff('frontend', 1), handOff('backend', 2), handOff('frontend', 3))
    await write(organisation)
    const values = (file: string) => cli.read(PHASE, file).match(/"p95":\d/g)
    expect(values('perf-frontend.jsonl')).toEqual(['"p95":1', '"p95":3'])
    expect(values('perf-backend.jsonl')).toEqual(['"p95":2'])
  }) // C30

  it('never leave the workspace through a link', async () => {
    await record('yolo-frontend', ...allSteps())
    mkdirSync(join(cli.dir, '../outside'))
    writeFileSync(join(cli.dir, '../outside/file'), 'kept')
    symlinkSync('../../../../outside/file', join(cli.dir, PHASE, '.dept-status-frontend.json'))
    await write()
    expect(cli.read('../outside/file')).toBe('kept')
    expect(existsSync(join(cli.dir, PHASE, '.dept-status-frontend.json'))).toBe(true)
  }) // C70
})
