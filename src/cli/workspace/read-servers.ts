import { resolve } from 'node:path'
import type { ConfiguredServer } from '../../mcp/client/server-entry.ts'
import { configuredServers } from '../../session/mcp/configured-servers.ts'
import type { LoadedSettings } from '../../settings/load-settings.ts'
import type { Workspace } from '../../workspace.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'

/** The MCP servers of this call, with a warning about each that is not started, and why. */
export async function readServers(
  call: Call,
  workspace: Workspace,
  settings: LoadedSettings,
  { mcpConfig, strictMcpConfig }: { readonly mcpConfig?: readonly string[]; readonly strictMcpConfig?: boolean } = {},
): Promise<readonly ConfiguredServer[]> {
  const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
  const found = configuredServers({
    ...{ workspace, settings, cwd, env: call.env },
    config: mcpConfig,
    isStrict: strictMcpConfig,
  })
  for (const problem of found.problems) await warn(call, problem)
  return found.servers
}
