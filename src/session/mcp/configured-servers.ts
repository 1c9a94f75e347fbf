import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { serverKey, serverNameFault } from '../../mcp/client/names.ts'
import {
  type ConfiguredServer,
  entryHash,
  isStdio,
  parseEntry,
  SERVER_SOURCES,
  type ServerEntry,
  type ServerGrants,
  type ServerSource,
  type ServerState,
} from '../../mcp/client/server-entry.ts'
import { isInside } from '../../permissions/paths/places.ts'
import { realPath } from '../../permissions/paths/safe-reads.ts'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { userFolder } from '../../permissions/trust/private-folders.ts'
import { parseJsonc } from '../../settings/jsonc.ts'
import type { LoadedSettings } from '../../settings/load-settings.ts'
import { openServerApprovals, type ServerApproval } from '../../stores/files/identity/server-approvals.ts'
import { stateFolder } from '../../stores/files/identity/trust.ts'
import { TeamError } from '../../team/errors.ts'
import { beginning, shellWord } from '../../team/wording.ts'
import type { Workspace } from '../../workspace.ts'

export interface ServerSources {
  readonly workspace: Pick<Workspace, 'workspace' | 'trust'>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly settings: Pick<LoadedSettings, 'origins'>
  /** Files or JSON from the command line. */
  readonly config?: readonly string[] | undefined
  /** Only those. */
  readonly isStrict?: boolean | undefined
  /** Entries that the editor passed in with the session. */
  readonly editor?: readonly EditorServer[] | undefined
}

/** An entry as an editor describes it, which is not checked yet. */
export interface EditorServer {
  readonly name: string
  readonly entry: unknown
}

export interface ConfiguredServers {
  readonly servers: readonly ConfiguredServer[]
  /** What is wrong, or waits for a person, each with its next step. */
  readonly problems: readonly string[]
  /** Those of them that are about files and entries which cannot be used; they have no server here. */
  readonly faults: readonly string[]
}

/** A file or text of the command line that cannot be used. */
export class WrongServerConfig extends TeamError {
  readonly code = 'mcp_config_wrong'
}

/** `.mcp.json` in the folder of a project. */
export function projectFile(workspace: string): string {
  return join(workspace, '.mcp.json')
}

/** The servers of the user for all folders. */
export function userFile(env: ServerSources['env']): string {
  return join(userFolder(env), 'mcp.json')
}

interface Found {
  readonly name: string
  readonly raw: unknown
  readonly source: ServerSource
  readonly path?: string | undefined
  readonly isProject: boolean
}

/** All servers that files, settings and command line name, and what may be done with each. Starts none. */
export function configuredServers(sources: ServerSources): ConfiguredServers {
  const problems: string[] = []
  const found = [
    ...flagged(sources),
    ...(sources.isStrict ? [] : [...fromEditor(sources), ...written(sources, problems)]),
  ]
  found.sort((a, b) => SERVER_SOURCES.indexOf(a.source) - SERVER_SOURCES.indexOf(b.source))
  const servers: ConfiguredServer[] = []
  for (const one of found) {
    const server = serverOf(one, sources, servers, problems)
    if (server) servers.push(server)
  }
  const waiting = servers.flatMap((server) => problemOf(server) ?? [])
  return { servers, faults: problems, problems: [...problems, ...waiting] }
}

/** Servers that the program which embeds the library names: it has all rights of its user. */
export function givenServers(entries: Readonly<Record<string, ServerEntry>>): ConfiguredServer[] {
  return Object.entries(entries).map(([name, raw]) => {
    const fault = serverNameFault(name)
    const read = parseEntry(raw)
    if (fault !== undefined || 'why' in read)
      throw new WrongServerConfig(
        `The MCP server ${JSON.stringify(name)} cannot be used: ${'why' in read ? read.why : fault}.`,
      )
    const state = { kind: 'ready', grants: requestedBy(read.entry) } as const
    return { name, key: serverKey(name)!, entry: read.entry, source: 'code', isProject: false, state }
  })
}

function serverOf(
  { name, raw, source, path, isProject }: Found,
  sources: ServerSources,
  servers: readonly ConfiguredServer[],
  problems: string[],
): ConfiguredServer | undefined {
  const where = placeOf({ source, path })
  const fault = serverNameFault(name)
  const read = parseEntry(raw)
  if (fault !== undefined || 'why' in read) {
    const shown = JSON.stringify(beginning(name, 100))
    problems.push(`${where}: the MCP server ${shown} cannot be used: ${'why' in read ? read.why : fault}.`)
    return undefined
  }
  const key = serverKey(name)!
  // Rules do not tell upper and lower case apart.
  const same = servers.find((other) => other.key.toLowerCase() === key.toLowerCase())
  if (same) {
    const isSame = same.name === name
    if (!isSame || isProject)
      problems.push(
        `${where}: the MCP server ${name} is not used: ${isSame ? 'there is another one of this name' : `its name reads like that of ${same.name}`} in ${placeOf(same)}.`,
      )
    return undefined
  }
  const state = stateOf({ name, entry: read.entry, source, isProject }, sources)
  return { name, key, entry: read.entry, source, path, isProject, state }
}

/** Where a server is configured, in words. */
function placeOf({ source, path }: Pick<ConfiguredServer, 'source' | 'path'>): string {
  if (path !== undefined) return path
  return source === 'local' ? 'your own servers of this folder' : source === 'editor' ? 'the editor' : '--mcp-config'
}

function stateOf(
  { name, entry, source, isProject }: Pick<ConfiguredServer, 'name' | 'entry' | 'source' | 'isProject'>,
  { workspace, env }: ServerSources,
): ServerState {
  if (!isProject || workspace.trust.everything) return { kind: 'ready', grants: requestedBy(entry) }
  const approval = openServerApprovals(stateFolder(env)).get(workspace.workspace, name)
  const decided = approval?.hash === entryHash(name, entry) ? approval : undefined
  // A person named the file on the command line, or configured the editor, which starts the server; what it asks for needs a
  // decision.
  if (source === 'flags' || source === 'editor')
    return { kind: 'ready', grants: decided ? grantedBy(decided) : NO_GRANTS }
  if (!isTrusted({ workspace: workspace.workspace, trust: workspace.trust })) return { kind: 'needs_trust' }
  if (!decided) return { kind: 'needs_approval' }
  return decided.decision === 'approved' ? { kind: 'ready', grants: grantedBy(decided) } : { kind: 'rejected' }
}

const NO_GRANTS: ServerGrants = { network: false, folders: [], sandbox: true }

function grantedBy({ network, folders, sandbox }: ServerApproval): ServerGrants {
  return { network, folders, sandbox }
}

/** What an entry asks for; in a file of the user that is what it gets. */
export function requestedBy(entry: ServerEntry): ServerGrants {
  if (!isStdio(entry)) return NO_GRANTS
  return { network: entry.network ?? false, folders: entry.folders ?? [], sandbox: entry.sandbox !== false }
}

function problemOf({ name, path, state }: ConfiguredServer): string | undefined {
  const intro = `The MCP server ${name} of ${path} is not started`
  if (state.kind === 'needs_trust')
    return `${intro}: this folder is not trusted. If you know where it comes from: deskmates trust`
  if (state.kind !== 'needs_approval') return undefined
  const word = shellWord(name)
  return `${intro}: you have not approved it as it is now. See what it does: deskmates mcp get ${word}; then: deskmates mcp approve ${word}`
}

function flagged({ config = [], cwd, workspace }: ServerSources): Found[] {
  return config.flatMap((text): Found[] => {
    if (text.trimStart().startsWith('{'))
      return entriesIn(text, '--mcp-config').map(([name, raw]) => ({ name, raw, source: 'flags', isProject: false }))
    const path = resolve(cwd, text)
    const isProject = isInProject(path, workspace)
    return entriesIn(readConfig(path), path).map(([name, raw]) => ({ name, raw, source: 'flags', path, isProject }))
  })
}

/** Editors read files of projects too, so what they pass in grants itself nothing. */
function fromEditor({ editor = [] }: ServerSources): Found[] {
  return editor.map(({ name, entry }) => ({ name, raw: entry, source: 'editor', isProject: true }))
}

/** Agents may have written a file of the project. */
function isInProject(path: string, { workspace }: ServerSources['workspace']): boolean {
  return isInside(realPath(workspace) ?? workspace, realPath(path) ?? path)
}

function written({ workspace, env, settings }: ServerSources, problems: string[]): Found[] {
  const set = settings.origins.flatMap(({ key, value, source, path }): Found[] => {
    if (!key.startsWith('mcpServers.')) return []
    const name = key.slice('mcpServers.'.length)
    if (source === 'flags') return [{ name, raw: value, source, path, isProject: isInProject(path ?? '', workspace) }]
    const isProject = source === 'local' || source === 'project'
    return [
      { name, raw: value, source: isProject ? 'project' : source === 'managed' ? 'managed' : 'user', path, isProject },
    ]
  })
  const approvals = openServerApprovals(stateFolder(env), { warn: (text) => problems.push(text) })
  const local = Object.entries(approvals.localServers(workspace.workspace)).map(
    ([name, raw]): Found => ({ name, raw, source: 'local', isProject: false }),
  )
  const read = (path: string, source: ServerSource, isProject: boolean) => {
    try {
      return readEntries(path).map(([name, raw]): Found => ({ name, raw, source, path, isProject }))
    } catch (error) {
      // A broken file must not stop the work; its servers are missing, visibly.
      problems.push(error instanceof Error ? error.message : String(error))
      return []
    }
  }
  return [
    ...set,
    ...local,
    ...read(userFile(env), 'user', false),
    ...read(projectFile(workspace.workspace), 'project', true),
  ]
}

/** The servers that a file names; none if it does not exist. Throws `WrongServerConfig` for a broken one. */
export function readEntries(path: string): [string, unknown][] {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? [] : entriesIn(readConfig(path), path)
}

const MAX_FILE_BYTES = 1024 * 1024

function readConfig(path: string): string {
  try {
    const stats = statSync(path)
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) throw new Error('it is not a file of at most 1 MB')
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new WrongServerConfig(`${path} cannot be read (${(error as Error).message}). Name a file like .mcp.json.`)
  }
}

function entriesIn(text: string, where: string): [string, unknown][] {
  let value: unknown
  try {
    value = parseJsonc(text).value
  } catch (error) {
    throw new WrongServerConfig(`${where} is not JSON (${(error as Error).message}). Correct it.`)
  }
  const servers = (value as { mcpServers?: unknown } | null)?.mcpServers
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers))
    throw new WrongServerConfig(
      `${where} has no "mcpServers". Write {"mcpServers": {"NAME": {"command": "…", "args": []}}}.`,
    )
  return Object.entries(servers)
}
