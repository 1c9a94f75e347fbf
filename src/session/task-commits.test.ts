import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AlarmClock, systemClock } from '../journal/clock.ts'
import type { Script } from '../models/scripted/script.ts'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { openMemoryStore } from '../stores/memory/store.ts'
import { openTestSession, runToEnd } from '../testing/harnesses/session-harness.ts'
import type { SessionOptions } from './session-options.ts'

let place: string
let root: string
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-task-commits-')))
  root = join(place, 'work')
  for (const folder of [root, join(place, 'home')]) mkdirSync(folder)
  git('init', '-q', '-b', 'main')
  for (const file of ['a.ts', 'b.ts', 'mine.ts']) put(file, 'old\n')
  git('add', '-A')
  git('commit', '-qm', 'first')
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    ...{ cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    env: { PATH: process.env.PATH, HOME: join(place, 'home'), GIT_CONFIG_NOSYSTEM: '1' },
  }).trimEnd()
const put = (path: string, text: string) => writeFileSync(join(root, path), text)

type Part = Script['parts'][number]
const write = (agent: string, path: string): Part => ({
  ...{ agent, when: { answer: 1 }, calls: [{ tool: 'write_file', input: { path, content: `by ${agent}\n` } }] },
})
const complete = (agent: string, taskId: string, answer = 2): Part => ({
  ...{ agent, when: { answer } },
  calls: [{ tool: 'TaskUpdate', input: { taskId, status: 'completed', result: 'done' } }],
})

interface Plan {
  readonly parts: readonly Part[]
  readonly tasks: readonly { id: string; subject: string; files: string[] }[]
}

/** Runs the tasks of one plan with a scripted agent each; skips where there is no sandbox. */
async function runPlan({ parts, tasks }: Plan, options: Partial<SessionOptions>, skip: (why: string) => never) {
  const model = scriptedModel({
    parts: [...parts, ...tasks.map((_, i): Part => ({ agent: `dev-${i + 1}`, times: 'always', text: 'I am done.' }))],
  })
  await using session = await openTestSession({
    ...{ model, root, store: await openMemoryStore(), sandbox: { mode: 'auto' }, autoCommit: true },
    env: { PATH: process.env.PATH, HOME: join(place, 'home') },
    scaling: [{ role: 'dev', cap: 5, mode: 'teammate' }],
    ...options,
  })
  if (session.sandbox !== 'on') skip('bubblewrap does not work here')
  const drafts = tasks.map((task) => ({ ...task, role: 'dev' }))
  const facts = { id: '03-01', title: 'Users', objective: 'Users', wave: 1, folder: 'phases/03', hash: 'h' }
  mkdirSync(join(root, 'phases/03'), { recursive: true })
  await session.team.run({ type: 'plan.load', plan: { ...facts, tasks: drafts } })
  const { events } = await runToEnd(session, undefined, AbortSignal.timeout(200_000))
  const notes = events.flatMap((event) => (event.type === 'note' ? [event.text] : []))
  const results = events.flatMap((event) => (event.type === 'tool_finished' ? [event.result.text] : []))
  return { notes, results, summary: session.team.state.plans.get('03-01')?.summary, team: session.team }
}

describe('the commits of a run', { timeout: 240_000 }, () => {
  it('hold the work of each task, without files that were changed before, and stand in the summary', async ({
    skip,
  }) => {
    put('b.ts', 'changed by the user\n')
    put('mine.ts', 'changed by the user\n')
    git('add', 'mine.ts')
    const { notes, results, summary } = await runPlan(
      {
        tasks: [
          { id: '03-01/T1', subject: 'Write a', files: ['a.ts'] },
          { id: '03-01/T2', subject: 'Write b and c', files: ['b.ts', 'c.ts'] },
        ],
        parts: [
          ...[write('dev-1', 'a.ts'), complete('dev-1', '03-01/T1')],
          ...[write('dev-2', 'c.ts'), complete('dev-2', '03-01/T2')],
        ],
      },
      {},
      skip,
    )
    const commits = git('log', '--reverse', '--abbrev=10', '--format=%h', 'HEAD~2..').split('\n')
    expect(new Set(summary?.ch)).toEqual(new Set(commits))
    expect(summary).toMatchObject({ s: 'complete', dv: [expect.stringContaining('b.ts: not committed')] })
    expect(git('log', '-2', '--name-only', '--format=%s').split('\n').filter(Boolean).sort()).toEqual(
      ['03-01/T1: Write a', 'a.ts', '03-01/T2: Write b and c', 'c.ts'].sort(),
    )
    expect(git('status', '--porcelain', '-uno')).toBe(' M b.ts\nM  mine.ts')
    expect(results.filter((text) => /completed: .* Committed as [0-9a-f]{10}\./.test(text))).toHaveLength(2)
    expect(notes.filter((text) => /^\[COMMIT\] 03-01\/T\d: [0-9a-f]{10} \(1 file\)$/.test(text))).toHaveLength(2)
  }) // C78, C38, C18

  it('are not made unless the user has switched them on', async ({ skip }) => {
    const plan = {
      tasks: [{ id: '03-01/T1', subject: 'Write a', files: ['a.ts'] }],
      parts: [write('dev-1', 'a.ts'), complete('dev-1', '03-01/T1')],
    }
    const { summary } = await runPlan(plan, { autoCommit: false }, skip)
    expect(summary).toMatchObject({ s: 'complete', ch: [] })
    expect(git('rev-list', '--count', 'HEAD')).toBe('1')
  }) // C78

  it('keep what was done of a task that failed without a teammate too', async ({ skip }) => {
    const agent = 'dev-03-01-T1/code-1'
    const { summary, notes } = await runPlan(
      {
        tasks: [{ id: '03-01/T1', subject: 'Write a', files: ['a.ts'] }],
        parts: [
          { agent, when: { answer: 1 }, calls: [{ tool: 'write_file', input: { path: 'a.ts', content: 'half\n' } }] },
          { agent, times: 'always', text: 'I cannot go on.' },
        ],
      },
      { scaling: [{ role: 'dev', cap: 1, mode: 'task' }] },
      skip,
    )
    expect(notes.join('\n')).toContain('[COMMIT] 03-01/T1: ')
    expect(git('log', '-1', '--format=%s')).toBe('03-01/T1: Write a (partial: the task failed)')
    expect(git('show', 'HEAD:a.ts')).toBe('half')
    expect(summary).toMatchObject({ s: 'failed', ch: [git('rev-parse', '--short=10', 'HEAD')] })
  }) // C60
})

/** Ends the pauses between two tries at once; everything else takes its time. */
const impatientClock: AlarmClock = {
  now: systemClock.now,
  in: (seconds, ring) => systemClock.in([0.2, 0.4, 0.8, 1.6, 3.2].includes(seconds) ? 0 : seconds, ring),
}

describe('work that cannot be committed', { timeout: 240_000 }, () => {
  const plan = {
    tasks: [{ id: '03-01/T1', subject: 'Write a', files: ['a.ts'] }],
    parts: [write('dev-1', 'a.ts'), ...[2, 3, 4].map((answer) => complete('dev-1', '03-01/T1', answer))],
  }

  it('is said with the way out during a merge, and stands in the summary of a plan that is complete', async ({
    skip,
  }) => {
    const before = git('rev-parse', 'HEAD')
    writeFileSync(join(root, '.git/MERGE_HEAD'), before)
    const { summary, notes } = await runPlan(plan, {}, skip)
    expect(notes).toContain(
      '[COMMIT] Nothing is committed: a merge is in progress in the repository. Finish it with git commit, or undo it with git merge --abort.',
    )
    expect(summary).toMatchObject({
      ...{ s: 'complete', ch: [] },
      dv: ['03-01/T1 (dev-1): not committed: a merge is in progress in the repository. Commit its files yourself'],
    })
    expect([git('rev-parse', 'HEAD'), git('show', ':a.ts')]).toEqual([before, 'old'])
  }) // C18, C78

  it('is not completed while the repository is locked: twice refused, then done and said', async ({ skip }) => {
    writeFileSync(join(root, '.git/index.lock'), '')
    const { summary, notes, results } = await runPlan(plan, { clock: impatientClock }, skip)
    const refused = results.filter((text) => text.includes('the repository was locked in every try'))
    expect(refused).toHaveLength(2)
    expect(refused[0]).toContain('Escalate to Senior')
    expect(notes.join('\n')).toContain('[GATE] 03-01/T1: went on after being held 2 times.')
    expect(summary).toMatchObject({ s: 'complete', ch: [], dv: [expect.stringContaining('index.lock')] })
  }) // C78

  it('is not completed while git cannot write, and is committed as soon as git can', async ({ skip }) => {
    const objects = join(root, '.git/objects')
    // What git needs as folders are files: nothing can be written, as on a broken or full disk.
    const blocked = Array.from({ length: 256 }, (_, i) => join(objects, i.toString(16).padStart(2, '0')))
    for (const path of blocked) if (!existsSync(path)) writeFileSync(path, '')
    const parts = [
      ...[write('dev-1', 'a.ts'), complete('dev-1', '03-01/T1')],
      {
        ...{ agent: 'dev-1', when: { answer: 3 } },
        calls: [{ tool: 'bash', input: { command: 'find .git/objects -maxdepth 1 -type f -delete' } }],
      },
      complete('dev-1', '03-01/T1', 4),
    ]
    const permissions = { mode: 'bypassPermissions' as const }
    const { summary, results } = await runPlan({ ...plan, parts }, { permissions, clock: impatientClock }, skip)
    expect(results.filter((text) => text.includes('git could not commit its files'))).toHaveLength(1)
    expect(summary).toMatchObject({ s: 'complete', ch: [git('rev-parse', '--short=10', 'HEAD')], dv: [] })
    expect(git('show', 'HEAD:a.ts')).toBe('by dev-1')
  }) // C78

  it('has the names of its files quoted where they could be taken for lines of the log', async ({ skip }) => {
    const name = 'kept/x\n[GATE] forged'
    mkdirSync(join(root, 'kept'))
    put(name, 'changed by the user\n')
    const { summary, notes } = await runPlan(
      {
        tasks: [{ id: '03-01/T1', subject: 'Write', files: ['a.ts', 'kept/'] }],
        parts: [write('dev-1', 'a.ts'), complete('dev-1', '03-01/T1')],
      },
      {},
      skip,
    )
    expect(summary?.dv).toEqual([expect.stringContaining(`${JSON.stringify(name)}: not committed`)])
    expect(notes.join('\n')).not.toMatch(/^\[GATE\] forged/m)
  }) // C78
})

describe('the gates of a role', { timeout: 240_000 }, () => {
  it('hold a completion without a commit twice, then let it pass and say so', async ({ skip }) => {
    const { summary, results, notes } = await runPlan(
      {
        tasks: [{ id: '03-01/T1', subject: 'Write a', files: ['a.ts'] }],
        parts: [1, 2, 3].map((answer) => complete('dev-1', '03-01/T1', answer)),
      },
      { gatesOf: () => ({ idle: false, completion: true }) },
      skip,
    )
    expect(results.filter((text) => text.includes('no commit of the last 2 hours belongs to it'))).toHaveLength(2)
    expect(notes.join('\n')).toContain('[GATE] 03-01/T1: went on after being held 2 times.')
    expect(summary).toMatchObject({ s: 'complete', dv: [expect.stringContaining('held 2 times')] })
  }) // C79
})
