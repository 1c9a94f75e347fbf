import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServerEntry, ServerGrants } from '../../src/mcp/client/server-entry.ts'
import { type OpenedSandbox, openSandbox } from '../../src/permissions/sandbox/open-sandbox.ts'
import { openServers, RAW_SERVER, readyServer } from '../mcp/server-harness.ts'

const SECRET = 'canary-of-the-state-folder'
const KEY = 'canary-of-a-key'
let top: string
let root: string
let env: Record<string, string>
let opened: OpenedSandbox

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-mcp-boundary-')))
  root = join(top, 'work')
  for (const folder of ['work/.deskmates', 'work/.git/hooks', 'home/notes', 'home/.ssh', 'state', 'other', 'tools'])
    mkdirSync(join(top, folder), { recursive: true })
  writeFileSync(join(top, 'state/trust.json'), SECRET)
  writeFileSync(join(top, 'home/.ssh/id'), SECRET)
  writeFileSync(join(top, 'home/notes/a.txt'), 'a note')
  writeFileSync(join(root, '.deskmates/settings.json'), '{}')
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n')
  env = { PATH: process.env.PATH ?? '', HOME: join(top, 'home') }
  opened = await openSandbox({
    ...{ mode: 'auto', root, folders: [], env: { ...env, ANTHROPIC_API_KEY: KEY }, hidden: [join(top, 'state')] },
    rules: { hasFileRules: false, forbids: () => false, mayUseNetwork: () => true },
  })
})
afterAll(() => {
  opened[Symbol.dispose]()
  rmSync(top, { recursive: true, force: true })
})

const raw = (more: object = {}): ServerEntry => ({ command: process.execPath, args: [RAW_SERVER], ...more })
const open = (entry: ServerEntry, grants: Partial<ServerGrants> = {}) =>
  openServers([readyServer('raw', entry, grants)], { root, place: { env, sandbox: opened.sandbox } })

describe('an MCP server in the sandbox', { timeout: 60_000 }, () => {
  it('reaches what a command reaches and what it was granted, and nothing else', async ({ skip }) => {
    if (opened.state !== 'on') skip(`no sandbox here: ${opened.why?.cause}`)
    await using harness = await open(raw())
    expect(harness.notes).toEqual([])
    const read = async (path: string) => (await harness.call('mcp__raw__read', { path })).text
    const write = async (path: string) => (await harness.call('mcp__raw__write', { path })).isError ?? false
    for (const path of ['state/trust.json', 'home/.ssh/id', 'home/notes/a.txt'])
      expect([path, await read(join(top, path))]).toEqual([path, expect.stringContaining('ENOENT')])
    expect((await harness.call('mcp__raw__env', { name: 'ANTHROPIC_API_KEY' })).text).toBe('(not set)')
    expect(await read(`/proc/${process.pid}/environ`)).toMatch(/ENOENT|EACCES/)
    for (const path of ['.deskmates/settings.json', '.git/hooks/pre-commit', '.git/config', '../other/x', '/etc/x'])
      expect([path, await write(join(path.startsWith('/') ? '' : root, path))]).toEqual([path, true])
    expect(await write(join(root, 'made.txt'))).toBe(false)
    expect(readFileSync(join(root, 'made.txt'), 'utf8')).toBe('written by a server')
  })

  it('has the network only where it was granted, whatever rules say about commands', async ({ skip }) => {
    if (opened.state !== 'on') skip(`no sandbox here: ${opened.why?.cause}`)
    const listening = createServer().listen(0, '127.0.0.1')
    try {
      await new Promise((resolve) => listening.once('listening', resolve))
      const { port } = listening.address() as AddressInfo
      await using kept = await open(raw())
      expect((await kept.call('mcp__raw__network', { port })).text).toContain('no network')
      await using granted = await open(raw(), { network: true })
      expect((await granted.call('mcp__raw__network', { port })).text).toBe('connected')
    } finally {
      listening.close()
    }
  })

  it('uses the folders that it was granted, and only reads those for reading', async ({ skip }) => {
    if (opened.state !== 'on') skip(`no sandbox here: ${opened.why?.cause}`)
    await using harness = await open(raw(), { folders: ['~/notes:ro', join(top, 'other')] })
    expect((await harness.call('mcp__raw__read', { path: join(top, 'home/notes/a.txt') })).text).toBe('a note')
    expect((await harness.call('mcp__raw__write', { path: join(top, 'home/notes/b.txt') })).isError).toBe(true)
    expect((await harness.call('mcp__raw__write', { path: join(top, 'other/b.txt') })).isError).toBeFalsy()
  })
})

describe('an MCP server outside of the sandbox', { timeout: 60_000 }, () => {
  const outside = { sandbox: false }
  beforeAll(() => {
    writeFileSync(join(root, 'server.mjs'), readFileSync(RAW_SERVER))
    symlinkSync(join(root, 'server.mjs'), join(top, 'tools/link.mjs'))
    mkdirSync(join(root, 'bin'))
    symlinkSync(process.execPath, join(root, 'bin/node2'))
  })

  it.each([
    ['a script of the workspace', () => ({ args: ['server.mjs'] })],
    ['the same by its whole path', () => ({ args: [join(root, 'server.mjs')] })],
    ['a link that leads there', () => ({ args: [join(top, 'tools/link.mjs')] })],
    ['a program of the workspace', () => ({ command: './bin/node2' })],
    ['the workspace as code', () => ({ args: ['.'] })],
    ['an option that loads a file', () => ({ args: ['--import=./server.mjs', RAW_SERVER] })],
    ['a file that is not there yet', () => ({ args: ['--require', './soon', RAW_SERVER] })],
    ['a variable that loads a file', () => ({ env: { NODE_OPTIONS: '--import ./server.mjs' } })],
    ['a PATH in the workspace', () => ({ command: 'node2', env: { PATH: `${join(root, 'bin')}:/usr/bin` } })],
  ])('is refused if agents can write what it runs: %s', async (_, more) => {
    await using harness = await open(raw(more()), outside)
    expect(harness.groups).toEqual([])
    expect(harness.notes.join()).toMatch(
      /The MCP server raw is not started: agents can write .*Move its program out of the workspace/,
    )
  })

  it('runs where agents can write nothing of it, and does not start in a folder of theirs', async () => {
    await using harness = await open(raw({ args: [RAW_SERVER, 'good', root] }), outside)
    expect(harness.notes).toEqual([])
    expect((await harness.call('mcp__raw__read', { path: 'notes/a.txt' })).text).toBe('a note')
  })

  it('never runs where a sandbox is required', async () => {
    const place = { env, sandbox: undefined, requiresSandbox: true }
    await using harness = await openServers([readyServer('raw', raw())], { root, place })
    expect(harness.groups).toEqual([])
    expect(harness.notes.join()).toContain('it must run in a sandbox, and there is none here')
  })
})
