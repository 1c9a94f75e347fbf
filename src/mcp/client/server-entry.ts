import { createHash } from 'node:crypto'
import { z } from 'zod'

const Texts = z.record(z.string(), z.string())

/** What every kind of server may say besides how it is reached. */
const Common = {
  perAgent: z.boolean().optional().meta({ description: 'One process for each agent, instead of one for the session.' }),
  timeout: z.int().positive().optional().meta({ description: 'Milliseconds a call may take; 120000 by default.' }),
  startupTimeout: z
    .int()
    .positive()
    .optional()
    .meta({ description: 'Milliseconds the server has to start and list its tools; 30000 by default.' }),
}

const Stdio = z.object({
  type: z.literal('stdio').optional(),
  command: z.string().min(1).meta({ description: 'The program; variables in it are replaced.' }),
  args: z.array(z.string()).optional(),
  env: Texts.optional().meta({ description: 'Variables of the server, besides the usual ones.' }),
  cwd: z.string().min(1).optional().meta({ description: 'Where it starts; the workspace by default.' }),
  network: z.boolean().optional().meta({ description: 'It may use the network. Without it, it has none.' }),
  folders: z
    .array(z.string().min(1))
    .optional()
    .meta({ description: 'Folders it may use besides the workspace; DIR:ro for reading only.' }),
  sandbox: z.literal(false).optional().meta({ description: 'It runs outside of the sandbox.' }),
  ...Common,
})

const Http = z.object({
  type: z.enum(['http', 'streamable-http']).optional(),
  url: z.string().min(1),
  headers: Texts.optional(),
  ...Common,
})

/** One server as a file, the settings or the command line describe it; the shape that other programs use too. */
export const ServerEntry = z.union([Stdio, Http], {
  error: 'write "command" (and "args", "env"), or "type": "http" and "url" (and "headers")',
})
export type ServerEntry = z.infer<typeof ServerEntry>
export type StdioEntry = z.infer<typeof Stdio>
export type HttpEntry = z.infer<typeof Http>

export function isStdio(entry: ServerEntry): entry is StdioEntry {
  return 'command' in entry
}

/** Where a server is configured, by precedence. `code`: by the program that embeds the library. `editor`: passed in with a session. */
export const SERVER_SOURCES = ['managed', 'flags', 'code', 'local', 'user', 'editor', 'project'] as const
export type ServerSource = (typeof SERVER_SOURCES)[number]

/** What a person let a server use besides the workspace. */
export interface ServerGrants {
  readonly network: boolean
  /** As written: relative to the workspace, `~` for home, `:ro` behind it for reading only. */
  readonly folders: readonly string[]
  /** False: it runs outside of the sandbox. */
  readonly sandbox: boolean
}

/**
 * Whether a server may be started.
 *
 * ready            it may
 * needs_trust      its file counts only after the folder is trusted
 * needs_approval   a person has to approve it as it is now
 * rejected         a person did not want it
 * refused          it cannot be used as it is written
 */
export type ServerState =
  | { readonly kind: 'ready'; readonly grants: ServerGrants }
  | { readonly kind: 'needs_trust' | 'needs_approval' | 'rejected' }
  | { readonly kind: 'refused'; readonly why: string }

/** A server that is configured, and what a person decided about it. */
export interface ConfiguredServer {
  /** As written. */
  readonly name: string
  /** As it stands in the names of its tools. */
  readonly key: string
  readonly entry: ServerEntry
  readonly source: ServerSource
  /** The file that names it, if one does. */
  readonly path?: string | undefined
  /** Others may have written the entry, as in a file of the project: it expands no secrets and grants itself nothing. */
  readonly isProject: boolean
  readonly state: ServerState
}

/** An entry as a file has it, or why it cannot be used. */
export function parseEntry(raw: unknown): { readonly entry: ServerEntry } | { readonly why: string } {
  const said = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>
  if (said.type === 'sse') return { why: 'the transport sse is not supported: servers of today have "type": "http"' }
  if ('command' in said && 'url' in said) return { why: 'it has both "command" and "url": leave one of them out' }
  const read = ServerEntry.safeParse(raw)
  return read.success ? { entry: read.data } : { why: read.error.issues[0]?.message ?? 'it is not an entry' }
}

/** What an approval is bound to: every member of the entry, in any order. */
export function entryHash(name: string, entry: object | string): string {
  return createHash('sha256')
    .update(canonical([name, entry]))
    .digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`
}
