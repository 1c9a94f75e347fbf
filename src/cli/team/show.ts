import { teamView } from '../../team/answers/view.ts'
import { name } from '../program/arguments.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { requireTeam, withTeam } from '../workspace/open-team.ts'
import { printTeam } from './print-team.ts'

export const teamShow: SubCommand<{ claude?: string }, [team: string | undefined]> = {
  example: `$ deskmates team show web
web  the web shop
  MEMBER  KIND      STATUS   ROLE
  lead    agent     idle     lead
  ci      external  working  tester`,
  define(command) {
    command
      .argument('[team]', 'its name; without it the one of --team', name)
      .option('--claude <name>', 'a team of Claude Code (~/.claude); nothing is written')
  },
  async run(call, { claude }, named) {
    if (claude !== undefined) {
      const [{ claudeName }, { showClaudeTeam }] = await Promise.all([
        import('./claude/claude-files.ts'),
        import('./claude/show-claude-teams.ts'),
      ])
      return showClaudeTeam(call, claudeName(claude))
    }
    await withTeam(
      call,
      'read',
      async (team, workspace) => {
        await requireTeam(call, team, workspace, named)
        await printTeam(call, await team.loadLongTexts(teamView(team.state)))
      },
      named,
    )
  },
}
