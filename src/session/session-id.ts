import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../ports/clock.ts'
import type { Workspace } from '../workspace.ts'

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
export async function newestSession({ store, root, kind }: Workspace): Promise<string | undefined> {
  const teams = await store.teams()
  if (kind === 'postgres') return teams.filter(isSessionId).sort().at(-1)
  const used = teams.flatMap((team) => {
    const transcript = statSync(join(root, '.teams', team, 'transcripts', 'lead.jsonl'), { throwIfNoEntry: false })
    return transcript ? [{ team, at: transcript.mtimeMs }] : []
  })
  return used.sort((a, b) => a.at - b.at || a.team.localeCompare(b.team)).at(-1)?.team
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

function letters(): string {
  return [...randomBytes(4)].map((byte) => ALPHABET[byte % 32]).join('')
}
