import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../journal/clock.ts'
import { START } from '../journal/log/cursor.ts'
import { openTeam } from '../journal/team-handle.ts'
import type { UserTurn } from '../models/model.ts'
import { isPresent } from '../team/members/member.ts'
import { roster, type TeamState } from '../team/state.ts'
import type { Workspace } from '../workspace.ts'
import { belongsHere } from './session-folder.ts'
import { titleOf } from './session-title.ts'
import { type TeamActivity, teamActivity } from './team-activity.ts'

/** A session in a list: its own team, with the counts of its further teams added. */
export interface ListedSession {
  readonly name: string
  /** The first line of its first prompt, or the description of its team; '' where there is neither. */
  readonly title: string
  /** Seconds since 1970. */
  readonly createdAt: number
  /** When its lead last worked; in a database, which does not record that, when the session began. */
  readonly usedAt: number
  readonly state: TeamActivity
  readonly members: readonly string[]
  readonly openTasks: number
  readonly unread: number
  /** Further teams that its lead leads. */
  readonly teams: readonly string[]
}

export interface FindSessionsOptions {
  readonly clock: Clock
  /** One team that cannot be read does not hide the others. */
  onUnreadable(team: string, error: unknown): Promise<void>
}

/** The sessions of this folder, the last used first: teams in which a lead has worked. */
export async function findSessions(
  workspace: Workspace,
  { clock, onUnreadable }: FindSessionsOptions,
): Promise<ListedSession[]> {
  const { store } = workspace
  const teams = new Map<string, Awaited<ReturnType<typeof factsOf>>>()
  for (const team of await store.teams()) {
    try {
      await using handle = await openTeam(store, team, { clock })
      await handle.refresh()
      const facts = await handle.loadLongTexts(await factsOf(handle.state, workspace))
      const isUntitled = facts.isSession && facts.title === ''
      teams.set(team, isUntitled ? { ...facts, title: await firstPrompt(workspace, team) } : facts)
    } catch (error) {
      await onUnreadable(team, error)
    }
  }
  const sessions = [...teams]
    .filter(([, { isSession }]) => isSession)
    .map(([name, { state, leads, title, createdAt, ...own }]) => {
      const all = [own, ...leads.flatMap((led) => teams.get(led) ?? [])]
      return {
        name,
        title,
        createdAt,
        usedAt: usedAt(workspace, name) ?? createdAt,
        state,
        members: all.flatMap(({ members }) => members),
        openTasks: all.reduce((sum, { openTasks }) => sum + openTasks, 0),
        unread: all.reduce((sum, { unread }) => sum + unread, 0),
        teams: leads,
      }
    })
  return sessions.sort((a, b) => b.usedAt - a.usedAt || b.name.localeCompare(a.name))
}

/** The newest session that no process works on: `resume` without a name means this one. */
export function newestAtRest(sessions: readonly ListedSession[]): ListedSession | undefined {
  return sessions.find(({ state }) => state !== 'at work' && state !== 'unknown')
}

async function factsOf(state: TeamState, workspace: Workspace) {
  const facts = state.team.get()
  const lead = roster(state).find(({ name }) => name === 'lead')
  return {
    isSession:
      facts !== undefined &&
      !facts.deleted &&
      facts.session === null &&
      Boolean(lead?.generation) &&
      belongsHere(state, workspace),
    title: facts?.description ?? '',
    createdAt: facts?.createdAt ?? 0,
    state: await teamActivity(state, workspace.store.presence),
    members: roster(state)
      .filter((member) => isPresent(member) && member.name !== 'lead')
      .map((member) => member.name),
    openTasks: [...state.tasks.values()].filter(({ status }) => status !== 'completed').length,
    unread: [...state.mailboxes.values()].reduce((sum, mailbox) => sum + mailbox.size, 0),
    leads: state.leads.get(),
  }
}

/** Of a session that a person began at its terminal: what its lead was asked first. */
async function firstPrompt({ store }: Workspace, team: string): Promise<string> {
  const log = await store.log(`${team}/transcripts/lead`)
  try {
    for (const { record } of await log.read(START)) {
      const { content = '' } = (record.user ?? {}) as { readonly content?: UserTurn['content'] }
      const texts =
        typeof content === 'string' ? [content] : content.map((part) => (part.type === 'text' ? part.text : ''))
      // Messages of others are marked; what a person writes stands alone.
      const title = titleOf(texts.join('\n').replace(/<message from="[^>]*>[\s\S]*?<\/message>/g, ''))
      if (title !== '') return title
    }
    return ''
  } finally {
    await log.close()
  }
}

function usedAt({ teamsFolder }: Workspace, team: string): number | undefined {
  if (teamsFolder === undefined) return undefined
  const path = join(teamsFolder, team, 'transcripts', 'lead.jsonl')
  const seconds = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return seconds === undefined ? undefined : seconds / 1000
}
