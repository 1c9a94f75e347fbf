import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { work } from '../../../test/cli/example-agents.mjs'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'
import type { Compose, ComposedAnswer } from '../../testing/harnesses/composed-model.ts'

const STEERED = `scripted:${fileURLToPath(new URL('../../../test/cli/steered-agents.mjs', import.meta.url))}`
const PHASE = '.yolo-planning/phases/03-api'
const START = 1_800_000_000

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
  await cli.ok('org init engineering --auto-commit')
  await cli.ok('trust')
  writeLines(cli.dir, '.yolo-planning/config.json', { team_mode: 'teammate', security_audit: false })
  writeLines(cli.dir, join(PHASE, 'reqs.jsonl'), { id: 'R1', t: 'Users are listed' })
})
afterEach(() => cli.close())

const git = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    ...{ cwd: cli.dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    env: { PATH: process.env.PATH, HOME: cli.env.HOME, GIT_CONFIG_NOSYSTEM: '1', ...env },
  }).trimEnd()

/** A commit of the user, so many seconds before the run. */
function commit(message: string, age: number): void {
  const date = `${START - age} +0000`
  git(['commit', '-qm', message, '--allow-empty'], { GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date })
}

const plan = (number: string, ...tasks: object[]) =>
  writeLines(cli.dir, join(PHASE, `03-${number}.plan.jsonl`), header(number), ...tasks)

type Developer = (request: Parameters<Compose>[0]) => ComposedAnswer | undefined

/** Developers answer by `develop`, and as in the example where it says nothing. */
async function run(develop: Developer, skip: (why: string) => never) {
  const steer: Compose = (request) => (request.agent.startsWith('dev-') && develop(request)) || work(request.turns)
  Object.assign(globalThis, { steer })
  const env = { ...cli.env, PATH: process.env.PATH, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' }
  const words = ['org', 'run', PHASE, '--skip', '1,2,5,8,9', '-m', STEERED, '--permission-mode', 'acceptEdits']
  const ran = await cli.run([...words, '--sandbox', 'auto'], { env })
  if (/without a sandbox/.test(ran.stderr)) skip('bubblewrap does not work here')
  return ran
}

const HELD = /(?:<task id=\\"|still hold task )(\d\d-\d\d\/T\d+)/g
/** The task that an agent holds, as its conversation says. */
const heldIn = (request: Parameters<Compose>[0]) => [...JSON.stringify(request.turns).matchAll(HELD)].at(-1)?.[1] ?? ''
const lastOf = ({ turns }: Parameters<Compose>[0]) => JSON.stringify(turns.at(-1))
const complete = (taskId: string) => ({
  calls: [{ tool: 'TaskUpdate', input: { taskId, status: 'completed', result: 'done' } }],
})

describe('the completion gate of a department', { timeout: 120_000 }, () => {
  it('wants a commit of the last 2 hours that shares words with the task, and says what it let pass', async ({
    skip,
  }) => {
    git(['init', '-q', '-b', 'main'])
    git(['add', '-A'])
    commit('first', 100_000)
    commit('feat(api): list users', 7_000)
    commit('fix(api): delete the roles', 7_300)
    commit('chore: rename things', 60)
    commit('feat: sort it', 60)
    const subjects = ['List users by name', 'Delete roles for good', 'Rename groups at once', 'Sort']
    plan('01', ...subjects.map((a, i) => task(`T${i + 1}`, { a, f: [`src/api/${i}.ts`] })))
    const tried: Record<string, number> = {}
    const { code, stderr } = await run((request) => {
      const id = heldIn(request)
      if (!/<task id=|not completed yet/.test(lastOf(request))) return { text: 'Fine.' }
      tried[id] = (tried[id] ?? 0) + 1
      return complete(id)
    }, skip)
    expect([code, tried]).toEqual([0, { '03-01/T1': 1, '03-01/T2': 3, '03-01/T3': 3, '03-01/T4': 1 }])
    const passed = [...stderr.matchAll(/\[GATE\] (\S+): went on after being held 2 times\. .*no commit of the last 2/g)]
    expect(passed.map(([, id]) => id).sort()).toEqual(['03-01/T2', '03-01/T3'])
    const { s, dv } = JSON.parse(cli.read(join(PHASE, '03-01.summary.jsonl')))
    expect([s, dv.map((text: string) => text.slice(0, 8)).sort()]).toEqual(['complete', ['03-01/T2', '03-01/T3']])
  }) // C79
})

describe('the idle gate of a department', { timeout: 120_000 }, () => {
  it.for([
    ...[{ plans: 2, age: 60, message: 'feat: users', isHeld: true }],
    ...[{ plans: 1, age: 60, message: 'feat: users', isHeld: false }],
    ...[{ plans: 1, age: 7_300, message: 'feat: users', isHeld: true }],
    ...[{ plans: 1, age: 60, message: 'some users', isHeld: true }],
    ...[{ plans: 2, age: 60, message: undefined, isHeld: false }],
  ])('with $plans open plans and the commit $message, $age s old, holds an agent: $isHeld', async (given, { skip }) => {
    for (const number of ['01', '02'].slice(0, given.plans)) plan(number, task('T1', { f: [`src/api/${number}.ts`] }))
    if (given.message !== undefined) {
      git(['init', '-q', '-b', 'main'])
      git(['add', '-A'])
      commit(given.message, given.age)
    }
    let idled = 0
    const { code, stderr } = await run((request) => {
      if (heldIn(request) !== '03-01/T1' || !/<task id=|no summary yet/.test(lastOf(request))) return undefined
      idled++
      return { text: 'Later.' }
    }, skip)
    expect([code, idled]).toEqual([0, given.isHeld ? 3 : 1])
    const passed = /\[GATE\] 03-01\/T1: went on after being held 2 times\. You hold task 03-01\/T1, and plans? 03-01/
    if (given.isHeld) expect(stderr).toMatch(passed)
    else expect(stderr).not.toContain('[GATE]')
  }) // C79
})

describe('a task that fails without a teammate too', { timeout: 120_000 }, () => {
  it('has its partial work committed, is escalated to the architect, and halts the phase', async ({ skip }) => {
    git(['init', '-q', '-b', 'main'])
    git(['add', '-A'])
    commit('first', 60)
    plan('01', task('T1', { a: 'List users', f: ['src/api/users.ts'] }))
    const { code, stderr } = await run((request) => {
      const isDone = JSON.stringify(request.turns).includes('half of it')
      if (isDone) return { error: { fault: 'key', message: 'the key is wrong' } }
      const input = { path: 'src/api/users.ts', content: 'half of it\n' }
      return { calls: [{ tool: 'write_file', input }] }
    }, skip)
    expect(git(['log', '-1', '--format=%s'])).toBe('03-01/T1: List users (partial: the task failed)')
    expect(git(['show', 'HEAD:src/api/users.ts'])).toBe('half of it')
    for (const line of [
      '[HEALTH] Agent dev-1 disappeared: ',
      'switching from teammate to task for dev-1',
      'switching from task to no agent for dev-1',
      '[ESCALATION] backend: lead to architect: step 6 (implementation)',
      'The phase halts: backend is failed.',
    ])
      expect(stderr).toContain(line)
    expect(code).toBe(4)
    expect((await cli.json('org status')).escalations).toMatchObject([{ department: 'backend', to: 'architect' }])
  }) // C57, C58, C60
})
