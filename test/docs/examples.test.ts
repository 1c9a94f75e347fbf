import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildCli } from '../demo/demo-process.ts'
import { project } from './page.ts'

let dir: string
beforeAll(buildCli)
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'deskmates-example-'))
  mkdirSync(join(dir, 'node_modules'))
  // As somebody has it who installed the package, and zod for tools of their own.
  symlinkSync(project, join(dir, 'node_modules', 'deskmates'))
  symlinkSync(join(project, 'node_modules', 'zod'), join(dir, 'node_modules', 'zod'))
})
afterEach(() => rmSync(dir, { recursive: true }))

function run(name: string): string {
  writeFileSync(join(dir, name), readFileSync(join(project, 'examples', name)))
  const env = { ...process.env, HOME: dir, DESKMATES_STATE: join(dir, 'state') }
  return execFileSync(process.execPath, [name], { cwd: dir, encoding: 'utf8', env })
}

describe('the examples', () => {
  it('one-agent.mjs talks, uses its own tool and leaves a session to go on with', () => {
    const [session = ''] = /deskmates -r (\S+)/.exec(run('one-agent.mjs'))?.slice(1) ?? []
    expect(readdirSync(join(dir, '.teams'))).toContain(session)
    expect(run('one-agent.mjs').split('\n').slice(0, 3)).toEqual([
      "lead [ 'Let me see.', 'weather' ]",
      'weather sunny in Rome',
      "lead [ 'Take sunglasses.' ]",
    ])
  })

  it('are all run here', () => {
    expect(readdirSync(join(project, 'examples'))).toEqual(['one-agent.mjs'])
  })
})
