import type { Store } from '../../journal/log/store.ts'
import { openTeam, USER } from '../../journal/team-handle.ts'
import { GONE_WHILE_AWAY, teamGoneText } from '../../prompts/reports.ts'

/** The session whose journal says that it leads this team besides its own; undefined if there is none. */
export async function leadingSession(store: Store, team: string): Promise<string | undefined> {
  for (const name of await store.teams()) {
    if (name === team) continue
    await using session = await openTeam(store, name)
    const leads = await session.refresh().then(
      () => session.state.leads.get(),
      // A journal that cannot be read is named by the command that opens it.
      (): readonly string[] => [],
    )
    if (leads.includes(team)) return name
  }
  return undefined
}

/** Records that a person gave the team up, and tells the lead of its session. */
export async function giveUpTeam(store: Store, session: string, team: string, why: string): Promise<void> {
  await using leading = await openTeam(store, session)
  await leading.run({ type: 'team.lead', team, leads: false }, { by: USER })
  await leading.send({ to: 'lead', content: teamGoneText(team, why) }, { by: USER })
}

/** Does this session lead the team, as the journal of the team says? Undefined where that journal is missing. */
export async function isLedBy(store: Store, name: string, session: string): Promise<boolean | undefined> {
  await using team = await openTeam(store, name)
  await team.refresh()
  const facts = team.state.team.get()
  return facts && !facts.deleted && facts.session === session
}

export function goneTeamText(team: string): string {
  return teamGoneText(team, GONE_WHILE_AWAY)
}
