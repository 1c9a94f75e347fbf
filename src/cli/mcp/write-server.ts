import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { serverKey, serverNameFault } from '../../mcp/client/names.ts'
import { entryHash, parseEntry, type ServerEntry } from '../../mcp/client/server-entry.ts'
import { projectFile, readEntries, requestedBy, userFile } from '../../session/mcp/configured-servers.ts'
import { realDisk } from '../../stores/files/disk.ts'
import { makeFolder } from '../../stores/files/folders.ts'
import { openServerApprovals } from '../../stores/files/identity/server-approvals.ts'
import { stateFolder } from '../../stores/files/identity/trust.ts'
import { replaceFile } from '../../stores/files/replace-file.ts'
import { shellWord } from '../../team/wording.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { Misused } from '../program/failure.ts'

/** local: yours, in this folder only; user: yours, everywhere; project: in `.mcp.json`, for all who have this folder. */
export const SCOPES = ['local', 'user', 'project'] as const
export type Scope = (typeof SCOPES)[number]

/** The names and entries of one scope, and the file they are in; those of one folder are in the state folder. */
export function serversOfScope(call: Call, workspace: Workspace, scope: Scope) {
  const approvals = openServerApprovals(stateFolder(call.env))
  if (scope === 'local')
    return { file: undefined, entries: new Map(Object.entries(approvals.localServers(workspace.workspace))) }
  const file = fileOf(call, workspace, scope)
  return { file, entries: new Map(readEntries(file)) }
}

function fileOf(call: Call, workspace: Workspace, scope: 'user' | 'project'): string {
  return scope === 'user' ? userFile(call.env) : projectFile(workspace.workspace)
}

/** Writes all servers of a scope. Other members of the file stay. */
export function writeScope(
  call: Call,
  workspace: Workspace,
  scope: Scope,
  entries: ReadonlyMap<string, unknown>,
): void {
  const servers = Object.fromEntries(entries)
  if (scope === 'local') {
    openServerApprovals(stateFolder(call.env)).setLocalServers(workspace.workspace, servers)
    return
  }
  const file = fileOf(call, workspace, scope)
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? (scope === 'user' ? 0o600 : 0o644)
  makeFolder(realDisk, dirname(file))
  const text = JSON.stringify({ ...membersOf(file), mcpServers: servers }, null, 2)
  replaceFile(realDisk, file, Buffer.from(`${text}\n`), mode & 0o777)
}

function membersOf(file: string): object {
  // It was read as servers before, so it is JSON; comments would be lost.
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as object
  } catch {
    throw new Misused(`${file} has comments, which this command would remove. Edit it by hand.`)
  }
}

/** Adds a server. A person runs this command, so what it adds to the project is approved at once. */
export function addServer(call: Call, workspace: Workspace, scope: Scope, name: string, raw: unknown) {
  const fault = serverNameFault(name)
  if (fault !== undefined)
    throw new Misused(`${JSON.stringify(name)} is not a name: ${fault}. Use letters, digits, - and _.`)
  const read = parseEntry(raw)
  if ('why' in read) throw new Misused(`This server cannot be used: ${read.why}.`)
  const { file, entries } = serversOfScope(call, workspace, scope)
  const same = [...entries.keys()].find((other) => serverKey(other)?.toLowerCase() === serverKey(name)?.toLowerCase())
  if (same !== undefined)
    throw new Misused(
      `There is a server ${same} (${file ?? scope}) already. Remove it first: deskmates mcp remove ${shellWord(same)} --scope ${scope}`,
    )
  writeScope(call, workspace, scope, new Map([...entries, [name, read.entry]]))
  if (scope === 'project') approve(call, workspace, name, read.entry)
  return { file, entry: read.entry }
}

function approve(call: Call, workspace: Workspace, name: string, entry: ServerEntry): void {
  openServerApprovals(stateFolder(call.env)).set(workspace.workspace, name, {
    ...requestedBy(entry),
    folders: [...requestedBy(entry).folders],
    hash: entryHash(name, entry),
    decision: 'approved',
  })
}
