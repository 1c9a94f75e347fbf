import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { START } from '../journal/log/cursor.ts'
import { folderHash } from '../permissions/trust/folder-hash.ts'
import { acceptInstructions } from '../session/instructions/project-knowledge.ts'
import { isSessionId } from '../team/members/session-id.ts'
import { nameKey } from '../team/name.ts'
import { counted } from '../team/wording.ts'
import type { Workspace } from '../workspace.ts'
import { print, printJson } from './output/print.ts'
import type { Call } from './program/context.ts'
import { Misused } from './program/failure.ts'
import type { SubCommand } from './program/sub-command.ts'
import { openStore } from './workspace/open-store.ts'
import { LIST, unknownTeam } from './workspace/open-team.ts'

export const trust: SubCommand<object> = {
  example: `$ deskmates trust                this folder's settings, agents, skills and hooks as they are now, and its journals
$ deskmates trust --team web     only the journal of web`,
  instead: () => 'Only a person decides what to trust.',
  define() {},
  async run(call) {
    await using workspace = await openStore(call)
    const { team: only } = call.globals
    if (!workspace.teamsNeedTrust && only !== undefined) throw new Misused(BY_ADDRESS)
    const all = workspace.teamsNeedTrust ? await workspace.store.teams() : []
    const wanted = only === undefined ? all : all.filter((name) => nameKey(name) === nameKey(only))
    if (only !== undefined && wanted.length === 0) throw unknownTeam(only, all, LIST)
    // Hashed before anything is trusted: a folder too large to be trusted trusts nothing.
    const hash = only === undefined ? folderHash(workspace.workspace) : undefined
    const teams = []
    for (const name of wanted) teams.push(await trustTeam(workspace, name))
    const folder = hash === undefined ? null : { path: workspace.workspace, hash }
    const instructions = hash === undefined ? [] : trustFolder(call, workspace, hash)
    const trusted = { folder, instructions, teams: teams.filter((team) => team !== undefined) }
    if (call.globals.json) return printJson(call, trusted)
    const lines = [
      ...(folder ? [`trusted  ${folder.path}  settings, agents, skills and hooks as they are now`] : []),
      ...instructions.map((path) => `trusted  ${path}  instructions as they are now`),
      ...journalsInWords(trusted.teams),
    ]
    await print(call, `${lines.join('\n')}\n`)
  },
}

/** Trusts what the folder says as it is now; returns the files with instructions that are accepted with it. */
export function trustFolder(call: Call, workspace: Workspace, hash = folderHash(workspace.workspace)): string[] {
  workspace.trust.trustFolder(workspace.workspace, hash)
  const root = realpathSync(workspace.workspace)
  const cwd = realpathSync(resolve(call.cwd, call.globals.cwd ?? '.'))
  return acceptInstructions({ workspace, root, cwd, env: call.env })
}

/** By name where there are few; sessions are only counted. */
function journalsInWords(teams: readonly { name: string; path: string }[]): string[] {
  const [first] = teams
  if (first === undefined) return []
  if (teams.length === 1) return [`trusted  ${first.path}  the journal of ${first.name}`]
  const named = teams.filter(({ name }) => !isSessionId(name)).map(({ name }) => name)
  const sessions = teams.length - named.length
  const shown =
    named.length > MAX_SHOWN ? [...named.slice(0, MAX_SHOWN), `${named.length - MAX_SHOWN} more teams`] : named
  const all = [...shown, ...(sessions > 0 ? [counted(sessions, 'session')] : [])]
  return [`trusted  ${counted(teams.length, 'journal')}: ${all.join(', ')}`]
}

const MAX_SHOWN = 10

const BY_ADDRESS = 'Teams in PostgreSQL are trusted by their address. Leave out --team.'

/** Kept by the id of the journal's first record, so that a moved folder stays trusted. */
async function trustTeam({ store, trust, journalOf }: Workspace, name: string) {
  const log = await store.log(`${name}/journal`)
  const [first] = await log.read(START)
  await log.close()
  if (!first) return undefined
  const path = journalOf(name)
  trust.trustTeam(first.record.id, name, path)
  return { name, id: first.record.id, path }
}
