import type { AlarmClock } from '../../journal/clock.ts'
import { expandEntry } from '../../mcp/client/expand.ts'
import { type ConfiguredServer, isStdio, type ServerEntry } from '../../mcp/client/server-entry.ts'
import type { McpServers } from '../../mcp/client/servers.ts'
import type { ServerPlace } from '../../mcp/client/start-server.ts'
import { orUndefined } from '../../permissions/paths/safe-reads.ts'
import { isSecretName } from '../../redaction/secret-name.ts'
import { givenServers } from './configured-servers.ts'

/** Servers by name, as the library takes them, or as files and command line named them. */
export type SessionServers = Readonly<Record<string, ServerEntry>> | readonly ConfiguredServer[]

export interface SessionServersOptions {
  readonly servers: readonly ConfiguredServer[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Variables that hold keys of models. */
  readonly keys?: readonly string[] | undefined
  readonly clock: AlarmClock
  readonly place: ServerPlace
  note(text: string): void
}

/** Undefined where no server is configured: then nothing of it is loaded or asked. */
export async function openSessionServers(options: SessionServersOptions): Promise<McpServers | undefined> {
  const { servers, env, keys, clock, place, note } = options
  if (servers.length === 0) return undefined
  const { createMcpServers } = await import('../../mcp/client/servers.ts')
  const secrets = secretsOf(servers, env, keys)
  const erase = (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text)
  return createMcpServers({ servers, variables: { env, keys }, clock, place, erase, note })
}

export function serversOf(given: SessionServers | undefined): readonly ConfiguredServer[] {
  if (given === undefined) return []
  return Array.isArray(given)
    ? (given as readonly ConfiguredServer[])
    : givenServers(given as Record<string, ServerEntry>)
}

/** Values of variables and headers of servers that no transcript, message or output may hold. */
export function secretsOf(
  servers: readonly ConfiguredServer[],
  env: SessionServersOptions['env'],
  keys?: readonly string[],
): string[] {
  return servers.flatMap(({ name, entry, isProject }) => {
    const expanded = orUndefined(() => expandEntry(name, entry, { env, isProject, keys })) ?? entry
    const named = isStdio(expanded) ? expanded.env : expanded.headers
    return Object.entries(named ?? {}).flatMap(([key, value]) =>
      value.length >= MIN_SECRET && (isSecretName(key) || /^authorization$/i.test(key))
        ? [value.replace(/^(bearer|basic|token)\s+/i, '')]
        : [],
    )
  })
}

/** Shorter values would be taken out of harmless text. */
const MIN_SECRET = 8
