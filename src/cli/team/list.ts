import { openTeam } from '../../journal/team-handle.ts'
import { isPresent } from '../../team/members/member.ts'
import { roster } from '../../team/state.ts'
import type { Workspace } from '../../workspace.ts'
import { oneLine, table } from '../output/format.ts'
import { hint, print, printJsonArray, printMessage, warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { explain } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'

export const teamList: SubCommand<{ claude?: true }> = {
  example: '$ deskmates team list --json',
  define(command) {
    command.option('--claude', 'the teams of Claude Code (~/.claude); nothing is written')
  },
  async run(call, { claude }) {
    if (claude) return (await import('./claude/show-claude-teams.ts')).listClaudeTeams(call)
    await using workspace = await openStore(call)
    const all = await Promise.all(
      (await workspace.store.teams()).map((name) => summaryOrWarning(call, workspace, name)),
    )
    const teams = all.filter((team) => team !== undefined)
    if (call.globals.json) return printJsonArray(call, teams)
    const rows = teams.map((team) => [
      team.name,
      String(team.members),
      String(team.openTasks),
      oneLine(team.description),
    ])
    await print(call, table(call, ['TEAM', 'MEMBERS', 'OPEN TASKS', 'ABOUT'], rows))
    if (teams.length > 0) return
    await printMessage(call, 'No teams.')
    await hint(call, 'Make one with: deskmates team create NAME')
  },
}

/** One team that cannot be read does not hide the others. */
async function summaryOrWarning(call: Call, workspace: Workspace, name: string) {
  try {
    return await summary(call, workspace, name)
  } catch (error) {
    await warn(call, `Team ${name} cannot be read: ${explain(error, call.env).message}`)
    return undefined
  }
}

/** Undefined for a team that was deleted and, after a crash, is not archived yet. */
async function summary(call: Call, { store }: Workspace, name: string) {
  await using team = await openTeam(store, name, { clock: call.clock })
  await team.refresh()
  const facts = team.state.team.get()
  if (facts?.deleted) return undefined
  const open = [...team.state.tasks.values()].filter(({ status }) => status !== 'completed').length
  const members = roster(team.state).filter(isPresent).length
  return team.loadLongTexts({ name, description: facts?.description ?? '', members, openTasks: open })
}
