import { resolve } from 'node:path'
import { confirm, isCancel, note, text } from '@clack/prompts'
import { isStdio } from '../../mcp/client/server-entry.ts'
import { configuredServers, requestedBy } from '../../session/mcp/configured-servers.ts'
import type { Workspace } from '../../workspace.ts'
import { decide } from '../mcp/decide.ts'
import { serverLines } from '../mcp/print-server.ts'
import { plain } from '../output/format.ts'
import type { Call } from '../program/context.ts'
import type { RunOptions } from '../run/options.ts'
import { readSettings } from '../workspace/read-settings.ts'

/** Asks once about each MCP server that the project brings along: whether it runs, and what it may use. */
export async function askServers(call: Call, workspace: Workspace, options: RunOptions): Promise<void> {
  if (options.strictMcpConfig) return
  const settings = await readSettings(call, workspace, {}, options.settings)
  const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
  const { servers } = configuredServers({ workspace, settings, cwd, env: call.env })
  for (const server of servers) {
    if (server.state.kind !== 'needs_approval') continue
    call.prompt?.close()
    note(plain(serverLines(server).join('\n')), 'An MCP server of this project')
    const isWanted = await confirm({ message: `May ${plain(server.name)} run?`, initialValue: false })
    if (isCancel(isWanted)) return
    const nothing = { network: false, folders: [], sandbox: true }
    if (!isWanted || !isStdio(server.entry)) {
      decide(call, workspace, server, isWanted ? 'approved' : 'rejected', nothing)
      continue
    }
    const wanted = requestedBy(server.entry)
    const network = await confirm({ message: 'May it use the network?', initialValue: false })
    if (isCancel(network)) return
    const folders = await text({
      message: 'Folders it may use besides the workspace (with commas between them; DIR:ro for reading only)',
      placeholder: wanted.folders.map(plain).join(', '),
      defaultValue: '',
    })
    if (isCancel(folders)) return
    const granted = folders
      .split(',')
      .map((folder) => folder.trim())
      .filter(Boolean)
    decide(call, workspace, server, 'approved', { network, folders: granted, sandbox: true })
  }
}
