import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { endRecordedGroup, groupOf, isGroupAlive } from '../../src/permissions/processes/process-group.ts'
import { removeLeftControls } from '../../src/stores/files/identity/left-controls.ts'
import { type CommandHarness, commandHarness } from '../cli/command-harness.ts'
import { buildCli } from '../demo/demo-process.ts'
import { backend, makeProject, type Project } from '../terminal/pseudo-terminal.ts'

/** Says which group it is, and does not end by itself. */
const command = 'echo $$ > group; while true; do sleep 1000; done'
const SCRIPT = {
  parts: [
    { when: { user: 'Wait' }, calls: [{ tool: 'bash', input: { command, run_in_background: true } }] },
    { times: 'always', text: 'It waits.' },
  ],
}

let harness: CommandHarness
let project: Project
beforeAll(buildCli)
afterEach(() => {
  project?.[Symbol.dispose]()
  harness?.close()
})

/** All files below a folder, by their paths in it. */
function filesIn(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })) return []
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return entries.filter((path) => !statSync(join(folder, path)).isDirectory()).sort()
}

/** A session on a terminal, with a member, a background job and a sandbox, that was killed in the middle. */
async function killedSession(sandbox: string) {
  harness = commandHarness()
  project = makeProject({ 'script.json': JSON.stringify(SCRIPT) })
  const [top, state] = [join(project.dir, '..'), join(project.dir, '..', 'state')]
  const [runtime, tmp] = [join(top, 'run'), join(top, 'tmp')]
  for (const folder of [runtime, tmp]) mkdirSync(folder, { mode: 0o700 })
  const own = { HOME: project.home, DESKMATES_STATE: state, XDG_RUNTIME_DIR: runtime }
  const changes = { cwd: project.dir, env: { ...harness.env, ...own } }
  const terminal = project.open(`-m scripted:script.json --allowedTools bash --sandbox ${sandbox}`, {
    env: { XDG_RUNTIME_DIR: runtime, TMPDIR: tmp },
  })
  await terminal.sees('default mode')
  terminal.type('Wait for me')
  await terminal.sees('Wait for me')
  terminal.press('Enter')
  await terminal.sees('It waits.')
  const team = readdirSync(join(project.dir, '.teams')).find((name) => name.startsWith('s-'))!
  await harness.ok(`team join ci --role dev --team ${team}`, changes)
  const [presence = ''] = readdirSync(join(project.dir, '.teams', team, 'presence'))
  const { pid } = JSON.parse(readFileSync(join(project.dir, '.teams', team, 'presence', presence), 'utf8'))
  const remains = () => [
    ...filesIn(state).filter((path) => !path.startsWith('instructions')),
    ...filesIn(runtime),
    ...readdirSync(tmp).filter((name) => name.startsWith('deskmates-inside-')),
  ]
  expect(remains().map((path) => path.replace(/[^/]*$/, ''))).toEqual(
    expect.arrayContaining(['control/', 'trust/teams/', expect.stringMatching(/^tokens\//), 'deskmates/']),
  )
  process.kill(pid, 'SIGKILL')
  await terminal.sees('Killed')
  return { team, changes, remains, tmp, state, runtime }
}

describe('a team whose session was killed', { timeout: 120_000 }, () => {
  it.for(['off', 'auto'])(
    'leaves nothing behind when it is deleted, with the sandbox %s',
    async (sandbox, { skip }) => {
      if (backend === undefined) skip('neither tmux nor script is installed')
      const { team, changes, remains, tmp } = await killedSession(sandbox)
      expect(remains()).not.toEqual([])
      const job = sandbox === 'off' ? Number(readFileSync(join(project.dir, 'group'), 'utf8')) : undefined
      const group = job === undefined ? undefined : groupOf(job)
      try {
        if (job !== undefined) expect(isGroupAlive(job)).toBe(true)
        const before = process.env.TMPDIR
        process.env.TMPDIR = tmp
        await harness.ok(`team delete ${team}`, changes).finally(() => {
          process.env.TMPDIR = before
          if (before === undefined) delete process.env.TMPDIR
        })
        expect(remains()).toEqual([])
        if (job !== undefined) expect(isGroupAlive(job)).toBe(false)
      } finally {
        if (group) await endRecordedGroup(group)
      }
    },
  )

  it('loses its control entry and socket when the next session starts, also if its folder is gone', async ({
    skip,
  }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { changes, state, runtime } = await killedSession('auto')
    expect([filesIn(join(state, 'control')), filesIn(runtime)]).toMatchObject([{ length: 1 }, { length: 1 }])
    await removeLeftControls(changes.env)
    expect([filesIn(join(state, 'control')), filesIn(runtime)]).toEqual([[], []])
  })
})
