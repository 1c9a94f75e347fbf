import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OpenedSandbox, openSandbox } from '../../permissions/sandbox/open-sandbox.ts'
import { uncommittedIn } from './uncommitted.ts'

let place: string
let root: string
let opened: OpenedSandbox
const rules = { hasFileRules: false, forbids: () => false, mayUseNetwork: () => false }

beforeEach(async ({ skip }) => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-uncommitted-')))
  root = join(place, 'work')
  mkdirSync(root)
  opened = await openSandbox({ mode: 'auto', root, folders: [], env: env(), hidden: [], rules })
  if (opened.state !== 'on') {
    rmSync(place, { recursive: true })
    skip('bubblewrap does not work here')
  }
})
afterEach(() => {
  opened[Symbol.dispose]()
  rmSync(place, { recursive: true, force: true })
})

const env = (path = process.env.PATH ?? '') => ({ PATH: path, HOME: join(place, 'home') })
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, stdio: 'ignore' })
const count = (changes: object = {}) =>
  uncommittedIn({ root, folders: [], env: env(), sandbox: opened.sandbox, ...changes })

describe('the check for uncommitted files', () => {
  it('counts changed and uncommitted files without the files of the team itself', async () => {
    expect(await count(), 'not a repository').toEqual({ isChecked: true, files: undefined })
    git(root, 'init', '-q')
    for (const folder of ['src', '.teams', '.tasks']) mkdirSync(join(root, folder))
    for (const file of ['a', 'src/b', 'src/c', '.teams/journal', '.tasks/1']) writeFileSync(join(root, file), file)
    expect(await count()).toEqual({ isChecked: true, files: 3 })
    git(root, 'add', 'a', 'src')
    git(root, 'commit', '-qm', 'all')
    expect(await count()).toEqual({ isChecked: true, files: 0 })
    writeFileSync(join(root, 'a'), 'changed')
    expect(await count()).toEqual({ isChecked: true, files: 1 })
  }) // C20

  it('runs no filter, monitor or hook of a repository that agents configured, nor of a submodule', async () => {
    const ran = join(place, 'ran')
    const attack = `/bin/sh -c 'touch ${ran} ran-here; env > ${ran}; cat'`
    git(root, 'init', '-q')
    writeFileSync(join(root, '.gitattributes'), '* filter=x\n')
    writeFileSync(join(root, 'file'), 'one')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'all')
    mkdirSync(join(root, 'sub'))
    git(join(root, 'sub'), 'init', '-q')
    writeFileSync(join(root, 'sub/file'), 'one')
    git(join(root, 'sub'), 'add', '.')
    git(join(root, 'sub'), 'commit', '-qm', 'all')
    git(root, 'add', 'sub')
    for (const folder of [root, join(root, 'sub')]) {
      for (const key of ['filter.x.clean', 'filter.x.process', 'core.fsmonitor', 'diff.external'])
        git(folder, 'config', key, attack)
      git(folder, 'config', 'filter.x.required', 'true')
      writeFileSync(join(folder, '.gitattributes'), '* filter=x\n')
      writeFileSync(join(folder, 'file'), 'two')
    }
    expect(await count()).toMatchObject({ isChecked: true, files: expect.any(Number) })
    expect([ran, join(root, 'ran-here'), join(root, 'sub/ran-here')].filter((path) => existsSync(path))).toEqual([])
  }) // T3

  it('never starts a git that lies where agents can write, by its name or through a link', async () => {
    const folder = join(root, 'node_modules/.bin')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'git'), `#!/bin/sh\ntouch ${join(place, 'ran')}\n`)
    chmodSync(join(folder, 'git'), 0o755)
    const path = [folder, 'node_modules/.bin', '', process.env.PATH].join(delimiter)
    git(root, 'init', '-q')
    expect(await count({ env: env(path) })).toEqual({ isChecked: true, files: 1 })
    expect(await count({ env: env(folder) }), 'there is no other git').toEqual({ isChecked: true, files: undefined })
    expect(existsSync(join(place, 'ran'))).toBe(false)
  }) // T4
})

it('uncommitted files are not counted without a sandbox', async () => {
  expect(await uncommittedIn({ root: '/', folders: [], env: {} })).toEqual({ isChecked: false })
}) // T3
