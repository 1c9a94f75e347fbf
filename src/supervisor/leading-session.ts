import type { Store } from '../journal/store.ts'
import { openTeam, USER } from '../journal/team-handle.ts'
import { GONE_WHILE_AWAY, teamGoneText } from '../prompts/reports.ts'

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

/** A person gave the team up: it is on record, and the lead of the session is told. */
export async function cedeTeam(store: Store, session: string, team: string, why: string): Promise<void> {
  await using leading = await openTeam(store, session)
  await leading.run({ type: 'team.lead', team, leads: false }, { by: USER })
  await leading.send({ to: 'lead', content: teamGoneText(team, why) }, { by: USER })
}

/** Does this session lead the team by the team's own word? Undefined where its journal is missing. */
export async function isLedBy(store: Store, name: string, session: string): Promise<boolean | undefined> {
  await using team = await openTeam(store, name)
  await team.refresh()
  const facts = team.state.team.get()
  return facts && !facts.deleted && facts.session === session
}

export function goneWords(team: string): string {
  return teamGoneText(team, GONE_WHILE_AWAY)
}
