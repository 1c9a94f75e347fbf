import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/journal/clock.ts'
import { openTeam } from '../../src/journal/team-handle.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { TEMPLATES } from '../../src/organisation/templates/templates.ts'
import type { PermissionSettings } from '../../src/permissions/rules/policy.ts'
import { openSandbox } from '../../src/permissions/sandbox/open-sandbox.ts'
import { readPlans } from '../../src/plan/read-plans.ts'
import { openSession } from '../../src/session/open-session.ts'
import { loadPlans } from '../../src/session/plan/load-plans.ts'
import { runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../../src/workspace.ts'
import { header, task, writeLines } from '../cli/plan-files.ts'

const PHASES = '.yolo-planning/phases'
const SUMMARY = `${PHASES}/02-base/02-01.summary.jsonl`

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-views-')))
  mkdirSync(join(dir, PHASES, '02-base'), { recursive: true })
  const xd = [{ p: '02', n: '01', a: undefined, r: 'the base' }]
  writeLines(dir, `${PHASES}/03-api/03-01.plan.jsonl`, { ...header('01'), xd }, task('T1', { f: ['src/a.ts'] }))
  workspace = await openWorkspace({ cwd: dir, env: { DESKMATES_STATE: join(dir, 'state'), PATH: process.env.PATH } })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

async function hasSandbox(): Promise<boolean> {
  const env = { PATH: process.env.PATH ?? '', HOME: dir }
  const rules = { hasFileRules: false, forbids: () => false, mayUseNetwork: () => false }
  using opened = await openSandbox({ mode: 'auto', root: dir, folders: [], env, hidden: [], rules })
  return opened.state === 'on'
}

interface Attack {
  readonly mode?: 'off' | 'auto'
  readonly permissions?: PermissionSettings
}

/** What an agent gets that runs this command, and what the user hears. */
function attack(command: string, mode: 'off' | 'auto', input: object = {}) {
  return call('bash', { command, ...input }, { mode })
}

async function call(
  tool: string,
  input: Record<string, unknown>,
  { mode = 'off', permissions = { mode: 'bypassPermissions' } }: Attack = {},
) {
  const calls = [{ tool, input }]
  const parts = [
    { agent: 'lead', when: { answer: 1 }, calls },
    { agent: 'lead', times: 'always' as const, text: 'Done.' },
  ]
  await using session = await openSession({
    ...{ workspace, model: scriptedModel({ parts }), permissions },
    ...{ sandbox: { mode, isAnnounced: true }, env: { PATH: process.env.PATH } },
  })
  const { events } = await runToEnd(session, 'Go', AbortSignal.timeout(60_000))
  const [result] = events.flatMap((event) => (event.type === 'tool_finished' ? [event.result] : []))
  return { result, problems: events.flatMap((event) => (event.type === 'problem' ? [event.text] : [])) }
}

/** Why the plan that needs 02-01 is not loaded; undefined where it is. */
async function whyNotLoaded(): Promise<string | undefined> {
  await using team = await openTeam(workspace.store, 'phase-03', { clock: systemClock })
  await team.run({ type: 'team.create', team: 'phase-03' })
  const { plans } = readPlans([join(dir, PHASES, '03-api')])
  const env = { PATH: process.env.PATH, HOME: dir }
  const answer = await loadPlans(plans, { team, workspace, clock: systemClock, env })
  return 'problems' in answer ? answer.problems.map(({ problem }) => problem).join() : undefined
}

const COMPLETE = '{"p":"02","n":"01","s":"complete","fm":[]}'
const NAMES = ['.dept-status-backend.json', '.handoff-ux-complete', '.execution-state.json', 'api-contracts.jsonl']
const ATTACKS: Record<string, string> = {
  'writes it': `echo '${COMPLETE}' > ${SUMMARY}`,
  'moves it there': `echo '${COMPLETE}' > x; mv x ${SUMMARY}`,
  'links it': `echo '${COMPLETE}' > x; ln -s ../../../x ${SUMMARY}`,
  'makes the folder of another phase': `mkdir -p ${PHASES}/01-a && echo '${COMPLETE}' > ${PHASES}/01-a/02-01.summary.jsonl`,
  'makes a folder of its name': `mkdir ${SUMMARY}`,
  'touches the files of departments': NAMES.map((name) => `touch ${PHASES}/03-api/${name}`).join('; '),
}

describe.for(['off', 'auto'] as const)('a command of an agent with the sandbox %s', { timeout: 120_000 }, (mode) => {
  beforeEach(async ({ skip }) => {
    if (mode === 'auto' && !(await hasSandbox())) skip('bubblewrap does not work here')
  })

  it.for(Object.entries(ATTACKS))('that %s leaves no file that only the runtime writes', async ([, command]) => {
    const { result, problems } = await attack(command, mode)
    expect([result?.isError, result?.text]).toEqual([true, expect.stringContaining('only deskmates writes it')])
    expect(problems.join()).toContain('lead: [.yolo-planning/phases/')
    expect(viewsLeft()).toEqual([])
    expect(await whyNotLoaded()).toContain('plan 02-01 of another phase has no summary')
  }) // T7, C54, C71

  it('that writes it in the background is found when it ends', async () => {
    const { problems } = await attack(`sleep 0.1; ${ATTACKS['writes it']}`, mode, { run_in_background: true })
    expect(problems.join()).toContain('only deskmates writes it')
    expect(viewsLeft()).toEqual([])
  }) // T7

  it('that commits it finds it taken away nevertheless', async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'ignore' })
    git('init', '-q')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first')
    const { result } = await attack(
      `${ATTACKS['writes it']}; git add -f ${SUMMARY}; git -c user.name=a -c user.email=b commit -qm x`,
      mode,
    )
    expect(result?.isError).toBe(true)
    expect(await whyNotLoaded()).toContain('has no summary')
  }) // T7, C54
})

describe('a hand-off that the organisation of the user adds', { timeout: 120_000 }, () => {
  const FILE = `${PHASES}/03-api/perf.jsonl`
  beforeEach(async () => {
    const { engineering = {} } = TEMPLATES
    const perf = 'perf_report: { from: lead, to: owner, via: file, file: perf.jsonl, fields: { p95: number } }'
    const files = { ...engineering, 'handoffs.yaml': `${engineering['handoffs.yaml']}\n${perf}\n` }
    for (const [name, text] of Object.entries(files)) {
      const path = join(dir, '.deskmates/organisation', name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
  })
  const trusting = async () => {
    await workspace[Symbol.asyncDispose]()
    const env = { DESKMATES_STATE: join(dir, 'state'), PATH: process.env.PATH, DESKMATES_TRUST: '1' }
    workspace = await openWorkspace({ cwd: dir, env })
  }

  it('is written neither by a file tool nor by a command of an agent', async () => {
    await trusting()
    const { result } = await call('write_file', { path: FILE, content: '{"p95":1}' })
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining('deskmates writes it from the journal'),
    })
    const { result: forged, problems } = await attack(`echo '{"p95":1}' > ${FILE}`, 'off')
    expect(forged).toMatchObject({ isError: true, text: expect.stringContaining('only deskmates writes it') })
    expect(problems.join()).toContain('perf.jsonl was made or changed by the command')
    expect(existsSync(join(dir, FILE))).toBe(false)
  }) // C30, C71

  it('is written by agents like any file outside of the folders of phases, and not in one', async () => {
    await trusting()
    const write = (path: string) => call('write_file', { path, content: '1' })
    expect((await write('data/perf.jsonl')).result?.text).toBe('Wrote 1 bytes to data/perf.jsonl')
    const { result } = await attack('echo 2 > data/perf.jsonl', 'off')
    expect([result?.isError, readFileSync(join(dir, 'data/perf.jsonl'), 'utf8')]).toEqual([false, '2\n'])
    writeLines(dir, 'elsewhere/04-ui/04-01.plan.jsonl', header('01', { p: '04' }))
    expect((await write('elsewhere/04-ui/perf.jsonl')).result).toMatchObject({ isError: true })
    expect((await write('.yolo-planning/phases/09-new/PERF.jsonl')).result).toMatchObject({ isError: true })
  }) // C30

  it('is taken back below the planning folder that the organisation names', async () => {
    const path = join(dir, '.deskmates/organisation/organisation.yaml')
    writeFileSync(path, readFileSync(path, 'utf8').replace('planning: .yolo-planning', 'planning: work/plans'))
    mkdirSync(join(dir, 'work/plans/phases/03-api'), { recursive: true })
    await trusting()
    const { result } = await attack('touch work/plans/phases/03-api/perf.jsonl', 'off')
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('only deskmates writes it') })
    expect(existsSync(join(dir, 'work/plans/phases/03-api/perf.jsonl'))).toBe(false)
  }) // C71

  it('is no file that a rule for commands lets them redirect into', async () => {
    await trusting()
    const permissions = { mode: 'acceptEdits' as const, allow: ['bash(echo *)'] }
    const command = (file: string) => call('bash', { command: `echo 1 > ${PHASES}/03-api/${file}` }, { permissions })
    expect((await command('other.jsonl')).result).toMatchObject({ isError: false })
    expect((await command('perf.jsonl')).result).toMatchObject({
      isError: true,
      text: expect.stringContaining('permission'),
    })
  }) // C71

  it('has no effect before the user trusts the organisation', async () => {
    expect((await call('write_file', { path: FILE, content: '1' })).result).not.toMatchObject({ isError: true })
  })
})

it('a summary that is in no repository counts only if it is older than the first agent', async () => {
  writeLines(dir, SUMMARY, JSON.parse(COMPLETE))
  expect(await whyNotLoaded()).toBeUndefined()
  await workspace.store.remove('phase-03', false)
  await attack('true', 'off')
  const content = readFileSync(join(dir, SUMMARY))
  expect(await whyNotLoaded(), 'it was there before').toBeUndefined()
  await workspace.store.remove('phase-03', false)
  rmSync(join(dir, SUMMARY))
  writeLines(dir, SUMMARY, JSON.parse(content.toString()))
  expect(await whyNotLoaded()).toContain('is in no repository, and an agent may have made it')
}) // C54

function viewsLeft(): string[] {
  const files = readdirSync(join(dir, PHASES), { recursive: true }).map(String)
  const isView = /summary\.jsonl$|dept-status-\w+\.json$|complete$|execution-state\.json$|contracts\.jsonl$/
  return files.filter((file) => isView.test(file) && (existsSync(join(dir, PHASES, file)) || isLink(file)))
}

function isLink(file: string): boolean {
  return lstatSync(join(dir, PHASES, file)).isSymbolicLink()
}
