import { realpathSync } from 'node:fs'
import type { AlarmClock } from '../../journal/clock.ts'
import type { ConfiguredServer } from '../../mcp/client/server-entry.ts'
import { policyOf } from '../../permissions/rules/policy.ts'
import { createSessionPolicy } from '../../permissions/rules/session-policy.ts'
import type { Workspace } from '../../workspace.ts'
import { commandEnv } from '../command-env.ts'
import { openSessionSandbox, type SandboxOptions } from '../sandbox.ts'
import { openSessionServers } from './session-servers.ts'

export interface ServerCheck {
  readonly status: 'connected' | 'failed'
  /** How many tools can be used. */
  readonly tools?: number
  readonly why?: string
}

export interface CheckOptions {
  readonly servers: readonly ConfiguredServer[]
  readonly workspace: Pick<Workspace, 'workspace' | 'root'>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly keys: readonly string[]
  readonly sandbox: SandboxOptions | undefined
  readonly clock: AlarmClock
  readonly signal: AbortSignal
  /** Milliseconds after which a server counts as failed; by default as long as its entry says. */
  readonly patienceMs?: number
  warn(text: string): void
}

/** Starts each server that may be started, as a session would, asks for its tools, and ends it. By the keys of the servers. */
export async function checkServers(options: CheckOptions): Promise<ReadonlyMap<string, ServerCheck>> {
  const { workspace, env, clock, keys, warn } = options
  const servers = options.servers.filter(({ state }) => state.kind === 'ready')
  if (servers.length === 0) return new Map()
  const root = realpathSync(workspace.workspace)
  const inside = commandEnv(env, options.sandbox?.env)
  using sandbox = await openSessionSandbox({
    ...options.sandbox,
    ...{ root, folders: [], workspace, commandEnv: inside, processEnv: env, hooks: undefined, warn },
    policy: createSessionPolicy(policyOf({}, root)),
  })
  await using opened = await openSessionServers({
    ...{ servers, env, keys, clock },
    place: {
      ...{ root, folders: [], env: inside, sandbox: sandbox.sandbox, requiresSandbox: sandbox.mode === 'require' },
      // Nothing resumes this command; what it starts ends with it.
      record: async () => {},
    },
    note: () => {},
  })
  opened?.start()
  const late = options.patienceMs === undefined ? undefined : AbortSignal.timeout(options.patienceMs)
  try {
    await opened?.ready(late ? AbortSignal.any([options.signal, late]) : options.signal)
  } catch (error) {
    if (!late?.aborted || options.signal.aborted) throw error
  }
  return new Map(
    (opened?.status() ?? []).map(({ key, status, tools, why }): [string, ServerCheck] => [
      key,
      status === 'connected'
        ? { status, tools: tools ?? 0 }
        : { status: 'failed', why: why ?? notReady(options.patienceMs) },
    ]),
  )
}

function notReady(patienceMs: number | undefined): string {
  return patienceMs === undefined ? 'it did not start' : `it did not list its tools within ${patienceMs / 1000} s`
}
