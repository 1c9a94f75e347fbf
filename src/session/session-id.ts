import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../journal/clock.ts'
import type { Store } from '../journal/log/store.ts'
import { openTeam } from '../journal/team-handle.ts'
import { isSessionId, isUuid } from '../team/members/session-id.ts'
import { memberNamed } from '../team/state.ts'
import type { Workspace } from '../workspace.ts'
import { belongsHere, folderOf } from './session-folder.ts'

/** The time it began, readable and sortable, and four random characters: `s-20260715-091233-k3fq`. */
export function newSessionId(clock: Clock): string {
  return `${timeStamp(clock.now())}-${randomSuffix()}`
}

function timeStamp(seconds: number): string {
  const [day, time] = new Date(seconds * 1000).toISOString().split('T') as [string, string]
  return `s-${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`
}

/** The session that was used last; in a database, which does not record that, the one that began last. */
export async function newestSession(workspace: Workspace): Promise<string | undefined> {
  const { store, teamsFolder } = workspace
  const teams = await store.teams()
  if (teamsFolder === undefined) return firstHere(workspace, await newestFirst(store, teams.filter(isSessionId)))
  const timeOf = (team: string, ...path: string[]) =>
    statSync(join(teamsFolder, team, ...path), { throwIfNoEntry: false })?.mtimeMs
  const used: { readonly team: string; readonly at: number }[] = []
  for (const team of teams) {
    const at = timeOf(team, 'transcripts', 'lead.jsonl')
    // Without a transcript the journal tells whether a lead has worked here; opening the session then reports the loss.
    if (at !== undefined) used.push({ team, at })
    else if (await hasLead(store, team)) used.push({ team, at: timeOf(team, 'journal.jsonl') ?? 0 })
  }
  const lastUsedFirst = used.sort((a, b) => b.at - a.at || b.team.localeCompare(a.team)).map(({ team }) => team)
  return firstHere(workspace, lastUsedFirst)
}

/** By when they began, which our own ids say; of one that a program chose, the journal says it. */
async function newestFirst(store: Store, sessions: readonly string[]): Promise<string[]> {
  const began: { readonly name: string; readonly stamp: string }[] = []
  for (const name of sessions) began.push({ name, stamp: isUuid(name) ? await stampOf(store, name) : name })
  return began.sort((a, b) => (a.stamp < b.stamp ? 1 : -1)).map(({ name }) => name)
}

async function stampOf(store: Store, name: string): Promise<string> {
  await using team = await openTeam(store, name)
  await team.refresh().catch(() => {})
  return timeStamp(team.state.team.get()?.createdAt ?? 0)
}

/** The first of these that belongs to this folder. */
async function firstHere(workspace: Workspace, teams: readonly string[]): Promise<string | undefined> {
  if (folderOf(workspace) === undefined) return teams[0]
  for (const name of teams) {
    await using team = await openTeam(workspace.store, name)
    await team.refresh()
    if (belongsHere(team.state, workspace)) return name
  }
  return undefined
}

async function hasLead(store: Store, name: string): Promise<boolean> {
  await using team = await openTeam(store, name)
  await team.refresh().catch(() => {})
  const facts = team.state.team.get()
  return facts?.deleted === false && facts.session === null && Boolean(memberNamed(team.state, 'lead')?.generation)
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

function randomSuffix(): string {
  return [...randomBytes(4)].map((byte) => ALPHABET[byte % 32]).join('')
}
