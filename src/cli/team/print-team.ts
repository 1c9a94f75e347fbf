import type { TeamView } from '../../team/answers/view.ts'
import { colours, oneLine, table } from '../output/format.ts'
import { print, printJson } from '../output/print.ts'
import type { Call } from '../program/context.ts'

export async function printTeam(call: Call, team: TeamView): Promise<void> {
  if (call.globals.json) return printJson(call, team)
  const { bold } = colours(call)
  const title = `${bold(team.name)}${team.description ? `  ${oneLine(team.description)}` : ''}\n`
  const rows = team.members.map(({ name, role, kind, status }) => [`  ${name}`, kind, status, role])
  await print(call, title + table(call, ['  MEMBER', 'KIND', 'STATUS', 'ROLE'], rows))
}
