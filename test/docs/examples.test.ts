import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildCli } from '../demo/demo-process.ts'
import { project } from './page.ts'

let dir: string
beforeAll(buildCli)
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'deskmates-example-'))
  for (const folder of ['node_modules', 'home', 'tmp', 'here']) mkdirSync(join(dir, folder))
  // As a user has it who installed the package, and zod for tools of their own.
  symlinkSync(project, join(dir, 'node_modules', 'deskmates'))
  symlinkSync(join(project, 'node_modules', 'zod'), join(dir, 'node_modules', 'zod'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const EXAMPLES = ['alice-and-bob.mjs', 'one-agent.mjs', 'team-delete.mjs']

/** In the given folder, where everything it writes stays. */
function run(name: string, args: readonly string[] = ['.'], cwd = dir): string {
  writeFileSync(join(dir, name), readFileSync(join(project, 'examples', name)))
  const { DESKMATES_DIR: _1, DESKMATES_STORE: _2, ...rest } = process.env
  const env = { ...rest, HOME: join(dir, 'home'), TMPDIR: join(dir, 'tmp'), DESKMATES_STATE: join(dir, 'state') }
  return execFileSync(process.execPath, [join(dir, name), ...args], { cwd, encoding: 'utf8', env })
}

describe('the examples', () => {
  it('one-agent.mjs answers, uses its own tool and leaves a session that can be resumed', () => {
    const [session = ''] = /deskmates -r (\S+)/.exec(run('one-agent.mjs'))?.slice(1) ?? []
    expect(readdirSync(join(dir, '.teams'))).toContain(session)
    expect(run('one-agent.mjs').split('\n').slice(0, 3)).toEqual([
      "lead [ 'Let me see.', 'weather' ]",
      'weather sunny in Rome',
      "lead [ 'Take sunglasses.' ]",
    ])
  })

  it('alice-and-bob.mjs has two teammates that settle a login without the lead, and a broadcast', () => {
    const printed = run('alice-and-bob.mjs')
    expect(printed.split('\n').slice(2, 4)).toEqual([
      'alice → bob: The form sends user and password.',
      'lead → all: status update: phase 1 complete',
    ])
    expect(readFileSync(join(dir, 'login.html'), 'utf8')).toContain('name="password"')
    expect(JSON.parse(readFileSync(join(dir, 'login-api.json'), 'utf8'))).toEqual({
      'POST /login': ['user', 'password'],
    })
    const [, session = ''] = /--team (\S+)/.exec(printed) ?? []
    const { members } = JSON.parse(readFileSync(join(dir, '.teams', session, 'config.json'), 'utf8'))
    expect(members).toMatchObject([
      { name: 'lead' },
      { name: 'alice', role: 'coder', status: 'idle' },
      { name: 'bob', role: 'tester', status: 'idle' },
    ])
  }) // B18, D11

  it('team-delete.mjs ends with a closing check, all teammates stopped, and no team', () => {
    // The result holds the answers of teammates that reply to the closing check while they stop; which ones do is chance.
    const printed = run('team-delete.mjs').replace(/<message from="\w+" type="result">\n.*\n<\/message>\n/g, '')
    expect(printed.trim().split('\n')).toEqual([
      "Team 'graphql' deleted, 2 teammates notified. All its agents have stopped.",
      '- analyst: shut down (clean)',
      '- backend: shut down (clean)',
      'The work is done and the team is gone.',
      'Teams left: none',
    ])
    expect(readdirSync(join(dir, '.teams'))).not.toContain('graphql')
  }) // A82, A89

  it.each(EXAMPLES)('%s leaves nothing behind when no folder is named', (name) => {
    expect(run(name, [], join(dir, 'here'))).not.toBe('')
    for (const folder of ['here', 'tmp', 'home']) expect(readdirSync(join(dir, folder)), folder).toEqual([])
    expect(existsSync(join(dir, 'state'))).toBe(false)
  })

  it('all have a test here', () => {
    // The folder engineering is run by src/cli/org/run.test.ts.
    expect(readdirSync(join(project, 'examples')).sort()).toEqual([...EXAMPLES, 'engineering'].sort())
  })
})
