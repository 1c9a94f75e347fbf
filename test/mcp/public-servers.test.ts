import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ServerEntry } from '../../src/mcp/client/server-entry.ts'
import { openSandbox } from '../../src/permissions/sandbox/open-sandbox.ts'
import { installServers } from './public-packages.ts'
import { openServers, readyServer, type ServerHarness } from './server-harness.ts'

/**
 * Servers that other people wrote, from npm. They are installed once into a cache of the user, without install scripts: as
 * dependencies of this project they would bring about a hundred packages, an HTTP framework among them, into every checkout.
 */
const PACKAGES = {
  everything: '@modelcontextprotocol/server-everything@2026.8.31',
  filesystem: '@modelcontextprotocol/server-filesystem@2026.8.31',
  memory: '@modelcontextprotocol/server-memory@2026.8.31',
}

let installed: Awaited<ReturnType<typeof installServers>>
beforeAll(async () => {
  installed = await installServers(Object.values(PACKAGES))
}, 300_000)

const program = (server: keyof typeof PACKAGES, ...args: string[]): ServerEntry => {
  if (!('folder' in installed)) throw new Error(installed.why)
  const script = join(installed.folder, 'node_modules/@modelcontextprotocol', `server-${server}`, 'dist/index.js')
  return { command: process.execPath, args: [script, ...args] }
}

/** In the sandbox where there is one. */
async function inSandbox(entry: (root: string) => ServerEntry, use: (harness: ServerHarness) => Promise<void>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-mcp-public-')))
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/' }
  using sandbox = await openSandbox({
    ...{ mode: 'auto', root, folders: [], env, hidden: [] },
    rules: { hasFileRules: false, forbids: () => false, mayUseNetwork: () => false },
  })
  await using harness = await openServers([readyServer('public', entry(root))], {
    ...{ root, place: { env, sandbox: sandbox.sandbox } },
  })
  expect(harness.notes).toEqual([])
  await use(harness)
}

describe('a public server', { timeout: 120_000 }, () => {
  it('everything: text, images, structured values, prompts and resources', async ({ skip }) => {
    if ('why' in installed) skip(installed.why)
    await inSandbox(
      () => program('everything'),
      async ({ call, servers }) => {
        expect((await call('mcp__public__echo', { message: 'hello' })).text).toContain('hello')
        const sum = await call('mcp__public__get-sum', { a: 2, b: 3 })
        expect(sum.text).toContain('5')
        expect((await call('mcp__public__get-tiny-image')).images).toHaveLength(1)
        expect((await call('mcp__public__get-structured-content', { location: 'Chicago' })).text).toMatch(/temperature/)
        const { offers, connection } = servers.find('public')!
        expect(offers.prompts.length).toBeGreaterThan(0)
        const { contents } = await connection.readResource(offers.resources[0]!.uri, AbortSignal.timeout(30_000))
        expect(contents.length).toBeGreaterThan(0)
      },
    )
  })

  it('filesystem: reads and writes in the workspace, and nowhere else', async ({ skip }) => {
    if ('why' in installed) skip(installed.why)
    await inSandbox(
      (root) => {
        mkdirSync(join(root, 'docs'))
        writeFileSync(join(root, 'docs/a.txt'), 'a file')
        return program('filesystem', join(root, 'docs'))
      },
      async ({ call, root }) => {
        expect((await call('mcp__public__read_text_file', { path: join(root, 'docs/a.txt') })).text).toContain('a file')
        await call('mcp__public__write_file', { path: join(root, 'docs/b.txt'), content: 'written' })
        expect(readFileSync(join(root, 'docs/b.txt'), 'utf8')).toBe('written')
        expect((await call('mcp__public__read_text_file', { path: '/etc/passwd' })).isError).toBe(true)
      },
    )
  })

  it('memory: keeps what it is told in a file of the workspace', async ({ skip }) => {
    if ('why' in installed) skip(installed.why)
    await inSandbox(
      (root) => ({ ...program('memory'), env: { MEMORY_FILE_PATH: join(root, 'memory.jsonl') } }) as ServerEntry,
      async ({ call, root }) => {
        const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }]
        expect((await call('mcp__public__create_entities', { entities })).isError).toBeFalsy()
        expect((await call('mcp__public__read_graph')).text).toContain('wrote the first program')
        expect(readFileSync(join(root, 'memory.jsonl'), 'utf8')).toContain('Ada')
      },
    )
  })
})
