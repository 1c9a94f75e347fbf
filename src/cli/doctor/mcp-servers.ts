import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { ConfiguredServer } from '../../mcp/client/server-entry.ts'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { checkServers, type ServerCheck } from '../../session/mcp/check-servers.ts'
import { configuredServers } from '../../session/mcp/configured-servers.ts'
import { keyVariablesOf } from '../../session/session-options.ts'
import { loadSettings } from '../../settings/load-settings.ts'
import { openTrust } from '../../stores/files/identity/trust.ts'
import { findRoot } from '../../stores/files/workspace-root.ts'
import { counted } from '../../team/wording.ts'
import { oneLine } from '../output/format.ts'
import { type Examination, type Finding, fail, notAvailable, pass } from './examination.ts'
import type { TestEnvironment } from './test-environment.ts'

/** All of them start at the same time; an examination has 30 seconds. */
const PATIENCE_MS = 20_000
const MAX_REASON_LENGTH = 200

/** Whether the MCP servers of this folder start and list their tools. One that no person approved is named, and not started. */
export const mcpServers: Examination = {
  name: 'MCP servers',
  onDisk: false,
  remedy: 'See what it says, and what it is: deskmates mcp list',
  async examine({ call, signal }) {
    const { env, clock } = call
    const { root, workspace } = findRoot(cwdOf(call), env, env.HOME || homedir())
    const trust = openTrust(env, { warn: () => {} })
    const loaded = loadSettings({ workspace, env, isTrusted: () => isTrusted({ workspace, trust }) })
    const found = configuredServers({ workspace: { workspace, trust }, env, cwd: cwdOf(call), settings: loaded })
    const { servers, faults } = found
    if (servers.length + faults.length === 0) return pass('none is configured')
    const checks = await checkServers({
      ...{ servers, workspace: { workspace, root }, env, clock, signal, patienceMs: PATIENCE_MS },
      ...{ keys: keyVariablesOf(loaded.settings), sandbox: loaded.settings.sandbox, warn: () => {} },
    })
    return findingOf(servers, checks, faults)
  },
}

function cwdOf({ cwd, globals }: TestEnvironment['call']): string {
  return resolve(cwd, globals.cwd ?? '.')
}

function findingOf(
  servers: readonly ConfiguredServer[],
  checks: ReadonlyMap<string, ServerCheck>,
  faults: readonly string[],
): Finding {
  const results = servers.map((server) => `${oneLine(server.name)}: ${resultOf(server, checks.get(server.key))}`)
  const detail = [...results, ...faults.map((text) => oneLine(text, MAX_REASON_LENGTH))].join('; ')
  if (servers.some(({ key }) => checks.get(key)?.status === 'failed')) return fail(detail)
  const [waiting] = servers.filter(({ state }) => state.kind === 'needs_trust' || state.kind === 'needs_approval')
  if (!waiting) return faults.length === 0 ? pass(detail) : notAvailable(detail)
  return waiting.state.kind === 'needs_trust'
    ? notAvailable(detail, 'If you know where this folder comes from: deskmates trust')
    : notAvailable(
        detail,
        `See what it does: deskmates mcp get ${waiting.name}; then: deskmates mcp approve ${waiting.name}`,
      )
}

function resultOf({ state }: ConfiguredServer, check: ServerCheck | undefined): string {
  if (state.kind === 'needs_trust') return 'not started, the folder is not trusted'
  if (state.kind === 'needs_approval') return 'not started, not approved as it is now'
  if (state.kind === 'rejected') return 'not started, rejected'
  if (state.kind === 'refused') return `not started, ${oneLine(state.why, MAX_REASON_LENGTH)}`
  if (check?.status === 'connected') return `works, ${counted(check.tools ?? 0, 'tool', 'tools')}`
  return oneLine(check?.why ?? 'it did not start', MAX_REASON_LENGTH)
}
