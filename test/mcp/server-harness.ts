import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverKey } from '../../src/mcp/client/names.ts'
import type { ConfiguredServer, ServerEntry, ServerGrants } from '../../src/mcp/client/server-entry.ts'
import { createMcpServers, type McpServers } from '../../src/mcp/client/servers.ts'
import type { ServerPlace } from '../../src/mcp/client/start-server.ts'
import type { ProcessGroup } from '../../src/permissions/processes/process-group.ts'
import { toolHarness } from '../../src/testing/harnesses/tool-harness.ts'
import { type ManualClock, manualClock } from '../../src/testing/manual-clock.ts'
import { runCall } from '../../src/tools/run-call.ts'
import type { ToolContext } from '../../src/tools/tool.ts'

export const RAW_SERVER = fileURLToPath(new URL('./raw-server.mjs', import.meta.url))

/** The entry of the server of this folder, in one of its modes. */
export function rawEntry(mode = 'good', more: Partial<ServerEntry> = {}): ServerEntry {
  return { command: process.execPath, args: [RAW_SERVER, mode], ...more } as ServerEntry
}

export function readyServer(name: string, entry: ServerEntry, grants: Partial<ServerGrants> = {}): ConfiguredServer {
  const all = { network: false, folders: [], sandbox: true, ...grants }
  return { name, key: serverKey(name)!, entry, source: 'user', isProject: false, state: { kind: 'ready', grants: all } }
}

export interface ServerHarness extends AsyncDisposable {
  readonly root: string
  readonly clock: ManualClock
  readonly servers: McpServers
  readonly notes: string[]
  readonly groups: ProcessGroup[]
  /** Calls a tool as an agent would; the permission check is not part of it. */
  call(tool: string, input?: object, context?: Partial<ToolContext>): ReturnType<typeof runCall>
}

/** Servers in an empty workspace, without a sandbox. */
export async function openServers(
  servers: readonly ConfiguredServer[],
  {
    place = {},
    env = {},
    root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-mcp-'))),
  }: {
    place?: Partial<ServerPlace>
    env?: Record<string, string>
    root?: string
  } = {},
): Promise<ServerHarness> {
  const clock = manualClock()
  const notes: string[] = []
  const groups: ProcessGroup[] = []
  const opened = createMcpServers({
    servers,
    clock,
    variables: { env },
    erase: (text) => text,
    place: {
      ...{ root, folders: [], sandbox: undefined, requiresSandbox: false },
      env: { PATH: process.env.PATH ?? '', HOME: '/' },
      record: async (group) => void groups.push(group),
      ...place,
    },
    note: (text) => notes.push(text),
  })
  opened.start()
  await opened.ready(AbortSignal.timeout(60_000))
  return {
    ...{ root, clock, servers: opened, notes, groups },
    call: (name, input = {}, context = {}) => runCall(opened.tools, { name, input }, toolHarness(context)),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
