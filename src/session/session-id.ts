import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../ports/clock.ts'
import { openTeam } from '../runtime/team.ts'
import type { Workspace } from '../workspace.ts'
import { belongsHere, folderOf } from './session-folder.ts'

/** When it began, for people and for sorting, and four letters against chance: `s-20260715-091233-k3fq`. */
export function newSessionId(clock: Clock): string {
  const [day, time] = new Date(clock.now() * 1000).toISOString().split('T') as [string, string]
  return `s-${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${letters()}`
}

/** Was this team named by its session, and not by a person? */
export function isSessionId(team: string): boolean {
  return /^s-\d{8}-\d{6}-[a-z2-7]{4}$/.test(team)
}

/** The session that was talked to last; in a database, where nobody can see that, the one that began last. */
export async function newestSession(workspace: Workspace): Promise<string | undefined> {
  const { store, root, kind } = workspace
  const teams = await store.teams()
  if (kind === 'postgres') return firstHere(workspace, teams.filter(isSessionId).sort().reverse())
  const used = teams.flatMap((team) => {
    const transcript = statSync(join(root, '.teams', team, 'transcripts', 'lead.jsonl'), { throwIfNoEntry: false })
    return transcript ? [{ team, at: transcript.mtimeMs }] : []
  })
  const newestFirst = used.sort((a, b) => b.at - a.at || b.team.localeCompare(a.team)).map(({ team }) => team)
  return firstHere(workspace, newestFirst)
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

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

function letters(): string {
  return [...randomBytes(4)].map((byte) => ALPHABET[byte % 32]).join('')
}
