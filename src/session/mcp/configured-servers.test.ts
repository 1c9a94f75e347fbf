import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { entryHash, type ServerEntry } from '../../mcp/client/server-entry.ts'
import { folderHash } from '../../permissions/trust/folder-hash.ts'
import { loadSettings } from '../../settings/load-settings.ts'
import { openServerApprovals } from '../../stores/files/identity/server-approvals.ts'
import { openTrust } from '../../stores/files/identity/trust.ts'
import { configuredServers, givenServers, type ServerSources } from './configured-servers.ts'

let top: string
let folder: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-servers-')))
  folder = join(top, 'work')
  mkdirSync(folder)
})

const env = () => ({ HOME: join(top, 'home'), DESKMATES_STATE: join(top, 'state') })
const trust = () => openTrust(env())
const approvals = () => openServerApprovals(join(top, 'state'))
const write = (path: string, servers: object) => {
  mkdirSync(join(top, path, '..'), { recursive: true })
  writeFileSync(join(top, path), JSON.stringify({ mcpServers: servers }))
}
const read = (
  more: Partial<Pick<ServerSources, 'config' | 'isStrict' | 'editor'>> & { DESKMATES_TRUST?: string } = {},
) => {
  const { DESKMATES_TRUST, ...rest } = more
  const workspace = { workspace: folder, trust: openTrust({ ...env(), DESKMATES_TRUST }) }
  const isTrusted = () => workspace.trust.isFolderTrusted(folder, folderHash(folder))
  const settings = loadSettings({ workspace: folder, env: env(), isTrusted, managed: join(top, 'none') })
  return configuredServers({ workspace, env: env(), cwd: folder, settings, ...rest })
}
const states = (found = read()) => Object.fromEntries(found.servers.map(({ name, state }) => [name, state.kind]))
const approve = (name: string, entry: ServerEntry, decision: 'approved' | 'rejected' = 'approved') =>
  approvals().set(folder, name, {
    ...{ decision, hash: entryHash(name, entry), network: true, folders: ['~/notes'], sandbox: true },
  })

describe('a server of the project', () => {
  it('needs trust, then an approval of its entry as it is, and asks again when any member changes', () => {
    const entry = { command: 'tool', args: ['--stdio'], network: true }
    write('work/.mcp.json', { tool: entry })
    expect(states()).toEqual({ tool: 'needs_trust' })
    expect(read().problems.join()).toContain(
      'this folder is not trusted. If you know where it comes from: deskmates trust',
    )
    trust().trustFolder(folder, folderHash(folder))
    expect(states()).toEqual({ tool: 'needs_approval' })
    expect(read().problems.join()).toContain('deskmates mcp approve tool')
    approve('tool', entry)
    expect(read()).toMatchObject({
      servers: [{ name: 'tool', state: { kind: 'ready', grants: { network: true, folders: ['~/notes'] } } }],
      problems: [],
    })
    for (const changed of [
      { ...entry, args: ['--stdio', '--evil'] },
      { ...entry, env: { NODE_OPTIONS: '--require ./x.js' } },
      { ...entry, command: 'tool2' },
      { ...entry, folders: ['/'] },
      { ...entry, cwd: 'sub' },
    ]) {
      write('work/.mcp.json', { tool: changed })
      expect([changed, states()]).toEqual([changed, { tool: 'needs_approval' }])
    }
    write('work/.mcp.json', { tool: { network: true, args: ['--stdio'], command: 'tool' } })
    expect(states()).toEqual({ tool: 'ready' })
  })

  it('that was rejected stays so, and an approval of another folder or name means nothing', () => {
    const entry = { command: 'tool' }
    write('work/.mcp.json', { tool: entry, other: entry })
    trust().trustFolder(folder, folderHash(folder))
    approve('tool', entry, 'rejected')
    approvals().set(top, 'other', {
      decision: 'approved',
      hash: entryHash('other', entry),
      network: false,
      folders: [],
      sandbox: true,
    })
    expect(states()).toEqual({ tool: 'rejected', other: 'needs_approval' })
  })

  it('in its settings needs the same, and in a container that trusts everything none of it', () => {
    write('work/.deskmates/settings.json', { tool: { command: 'tool' } })
    expect(states()).toEqual({})
    trust().trustFolder(folder, folderHash(folder))
    expect(states()).toEqual({ tool: 'needs_approval' })
    expect(states(read({ DESKMATES_TRUST: '1' }))).toEqual({ tool: 'ready' })
  })

  it('never takes the place of one of the user, whatever the case and signs of its name', () => {
    write('work/.mcp.json', { 'Git.Hub': { command: 'evil' } })
    write('home/.config/deskmates/mcp.json', { git_hub: { command: 'mine' } })
    trust().trustFolder(folder, folderHash(folder))
    const { servers, problems } = read()
    expect(servers).toMatchObject([{ name: 'git_hub', entry: { command: 'mine' } }])
    expect(problems.join()).toContain('the MCP server Git.Hub is not used: its name reads like that of git_hub')
  })

  it('is taken from one file as a whole', () => {
    write('work/.deskmates/settings.json', { tool: { command: 'evil', env: { LD_PRELOAD: './x.so' } } })
    write('home/.config/deskmates/settings.json', { tool: { command: 'mine' } })
    trust().trustFolder(folder, folderHash(folder))
    expect(read()).toMatchObject({
      servers: [{ name: 'tool', entry: { command: 'mine' }, source: 'user', state: { kind: 'ready' } }],
      problems: [expect.stringContaining('there is another one of this name')],
    })
    expect(read().servers[0]?.entry).toEqual({ command: 'mine' })
  })
})

describe('servers of the user', () => {
  it('are ready with what their entries say, in the order local, user', () => {
    approvals().setLocalServers(folder, { tool: { command: 'local', network: true } })
    write('home/.config/deskmates/mcp.json', {
      tool: { command: 'user' },
      web: { type: 'http', url: 'https://x.example' },
    })
    expect(read().servers).toMatchObject([
      { name: 'tool', source: 'local', entry: { command: 'local' }, state: { grants: { network: true } } },
      { name: 'web', source: 'user', state: { kind: 'ready' } },
    ])
  })

  it('come from the command line too, alone if that is strict', () => {
    write('home/.config/deskmates/mcp.json', { mine: { command: 'user' } })
    write('work/ci.json', { ci: { command: 'ci', network: true } })
    const config = ['{"mcpServers":{"inline":{"command":"x","network":true}}}', 'ci.json']
    expect(read({ config }).servers.map(({ name }) => name)).toEqual(['inline', 'ci', 'mine'])
    const { servers } = read({ config, isStrict: true })
    // A file inside of the workspace may be changed by agents: it grants itself nothing.
    expect(servers).toMatchObject([
      { name: 'inline', isProject: false, state: { grants: { network: true } } },
      { name: 'ci', isProject: true, state: { kind: 'ready', grants: { network: false } } },
    ])
  })

  it.each([
    ['{"mcpServers":', 'is not JSON'],
    ['{"servers":{}}', 'has no "mcpServers"'],
    ['gone.json', 'cannot be read'],
  ])('from the command line that are broken are an error: %s', (config, words) => {
    expect(() => read({ config: [config] })).toThrow(words)
  })

  it('that are broken are left out, with the reason', () => {
    write('home/.config/deskmates/mcp.json', {
      old: { type: 'sse', url: 'https://x.example' },
      both: { command: 'x', url: 'https://x.example' },
      none: { args: [] },
      '…': { command: 'x' },
      good: { command: 'x' },
    })
    const { servers, problems } = read()
    expect(servers.map(({ name }) => name)).toEqual(['good'])
    expect(problems.join('\n')).toMatch(
      /"old".*sse is not supported[\s\S]*"both".*leave one of them out[\s\S]*"none"[\s\S]*"…"/,
    )
  })

  it('of an editor are used without grants, behind those of the user, unless it is strict', () => {
    write('home/.config/deskmates/mcp.json', { mine: { command: 'user' } })
    write('work/.mcp.json', { tool: { command: 'project' } })
    const editor = [
      { name: 'Mine', entry: { command: 'editor' } },
      { name: 'tool', entry: { command: 'editor', env: { KEY: '$' + '{SECRET_KEY}' }, network: true, sandbox: false } },
      { name: 'old', entry: { type: 'sse', url: 'https://x.example' } },
    ]
    const { servers, problems } = read({ editor })
    expect(servers).toMatchObject([
      { name: 'mine', entry: { command: 'user' } },
      {
        ...{ name: 'tool', source: 'editor', isProject: true },
        state: { kind: 'ready', grants: { network: false, folders: [], sandbox: true } },
      },
    ])
    expect(problems.join('\n')).toMatch(
      /the editor: the MCP server Mine is not used[\s\S]*the editor: the MCP server "old" cannot be used: .*sse/,
    )
    expect(read({ editor, isStrict: true }).servers).toEqual([])
  })

  it('of a program that embeds the library are checked at once', () => {
    expect(givenServers({ tool: { command: 'x' } })).toMatchObject([{ source: 'code', state: { kind: 'ready' } }])
    expect(() => givenServers({ tool: {} as ServerEntry })).toThrow('The MCP server "tool" cannot be used')
  })
})
