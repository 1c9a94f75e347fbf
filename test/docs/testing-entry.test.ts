import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCli } from '../demo/demo-process.ts'
import { project, readPage } from './page.ts'

let top: string
let app: string
beforeAll(async () => {
  await buildCli()
  const { installPackage, openNpm } = await import(/* @vite-ignore */ join(project, 'scripts', 'packed.mjs'))
  top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-testing-')))
  app = await installPackage(project, top, openNpm())
}, 120_000)
afterAll(() => rmSync(top, { recursive: true }))

/** Runs a program in the project that installed the package; bounded, because a test runner may wait for input. */
function run(...args: string[]) {
  const { FORCE_COLOR: _, ...rest } = process.env
  const env = { ...rest, NO_COLOR: '1' }
  const options = { cwd: app, env, encoding: 'utf8', timeout: 60_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  return { status, said: stdout + stderr }
}

/** Puts a package beside ours as `npm install` would, without a network. */
function install(name: string): void {
  mkdirSync(join(app, 'node_modules'), { recursive: true })
  symlinkSync(join(project, 'node_modules', name), join(app, 'node_modules', name))
}

const program = `import { manualClock, storeContract, teamContract, commandSequences } from 'deskmates/testing'
console.log(manualClock(5).now())
for (const suite of [storeContract, teamContract, commandSequences])
  try { suite('mine', async () => { throw new Error('never opened') }) } catch (error) { console.log(error.code, error.message) }`

const suiteTest = `import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { openFileStore } from 'deskmates'
import { storeContract } from 'deskmates/testing'
storeContract('mine', async () => {
  const dir = mkdtempSync(join(import.meta.dirname, 'place-'))
  return (options) => openFileStore({ dir, ...options })
})`

describe('deskmates/testing, installed from the packed package', () => {
  it('loads without vitest and fast-check, and each suite names the command that installs them', () => {
    writeFileSync(join(app, 'program.mjs'), program)
    const bare = run('program.mjs')
    expect(bare).toMatchObject({ status: 0 })
    const [clock, ...refusals] = bare.said.trim().split('\n')
    expect(clock).toBe('5')
    expect(refusals).toEqual(
      ['storeContract', 'teamContract', 'commandSequences'].map((suite) =>
        expect.stringMatching(`^test_package_missing ${suite} of deskmates/testing cannot run: vitest and fast-check `),
      ),
    )
    const [, advised = ''] = /Run `npm install -D ([^`]*)`/.exec(refusals[0] ?? '') ?? []
    expect(readPage('README.md').text).toContain(`npm install -D ${advised}`)

    install('vitest')
    expect(run('program.mjs').said).toContain('cannot run: fast-check cannot be loaded')

    const names = advised.split(' ').map((one) => one.replace(/@\d+$/, ''))
    expect(names).toEqual(['vitest', 'fast-check'])
    for (const name of names.filter((one) => one !== 'vitest')) install(name)
    writeFileSync(join(app, 'store.test.mjs'), suiteTest)
    const suites = run(join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--root', app)
    expect(suites.said).toMatch(/Test Files {2}1 passed/)
    expect(suites.status).toBe(0)
  }, 120_000) // T42
})
