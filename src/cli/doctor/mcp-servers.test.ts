import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type DoctorHarness, doctorHarness } from '../../../test/cli/doctor-harness.ts'
import { entryHash } from '../../mcp/client/server-entry.ts'
import { folderHash } from '../../permissions/trust/folder-hash.ts'
import { openServerApprovals } from '../../stores/files/identity/server-approvals.ts'
import { openTrust, stateFolder } from '../../stores/files/identity/trust.ts'
import { mcpServers } from './mcp-servers.ts'

const SERVER = fileURLToPath(new URL('../../../test/mcp/raw-server.mjs', import.meta.url))
const works = { command: process.execPath, args: [SERVER, 'good'] }

function write({ root }: DoctorHarness, servers: object): void {
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
}

function trust({ root, environment }: DoctorHarness): void {
  openTrust(environment.call.env).trustFolder(root, folderHash(root))
}

describe('MCP servers', () => {
  it('pass where none is configured', async () => {
    await using machine = doctorHarness()
    expect(await machine.examine(mcpServers)).toEqual({ verdict: 'pass', detail: 'none is configured' })
  })

  it('are started and asked for their tools; one that no person approved is named, and never started', async () => {
    await using machine = doctorHarness()
    const started = join(machine.root, 'started')
    const touches = {
      command: '/bin/sh',
      args: ['-c', `touch '${started}'; exec '${process.execPath}' '${SERVER}' good`],
    }
    write(machine, { approved: works, other: touches })
    expect(await machine.examine(mcpServers)).toMatchObject({
      verdict: 'not available',
      detail: 'approved: not started, the folder is not trusted; other: not started, the folder is not trusted',
      remedy: expect.stringContaining('deskmates trust'),
    })
    trust(machine)
    openServerApprovals(stateFolder(machine.environment.call.env)).set(machine.root, 'approved', {
      ...{ decision: 'approved', hash: entryHash('approved', works), network: false, folders: [], sandbox: true },
    })
    expect(await machine.examine(mcpServers)).toMatchObject({
      verdict: 'not available',
      detail: expect.stringMatching(/^approved: works, \d+ tools; other: not started, not approved as it is now$/),
      remedy: 'See what it does: deskmates mcp get other; then: deskmates mcp approve other',
    })
    expect(existsSync(started)).toBe(false)
  })

  it('fail with the words of the server that does not start, and name entries that cannot be used', async () => {
    await using machine = doctorHarness()
    const folder = join(machine.environment.call.env.HOME ?? '', '.config', 'deskmates')
    mkdirSync(folder, { recursive: true })
    const mine = { good: works, bad: { command: process.execPath, args: [SERVER, 'exit'] }, old: { type: 'sse' } }
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: mine }))
    const { verdict, detail } = await machine.examine(mcpServers)
    expect(verdict).toBe('fail')
    expect(detail).toMatch(/good: works, \d+ tools; bad: .*cannot start: .*no database.*"old" cannot be used/)
  })
})
