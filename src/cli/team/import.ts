import { join } from 'node:path'
import { teamView } from '../../team/answers/view.ts'
import { isName, nameKey } from '../../team/name.ts'
import { counted } from '../../team/wording.ts'
import { printJson, printMessage } from '../output/print.ts'
import { name } from '../program/arguments.ts'
import { granted, Misused, Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { openFolded } from '../workspace/open-team.ts'
import { claudeName } from './claude/claude-files.ts'
import { importClaudeTeam } from './claude/import-claude-team.ts'
import { requireClaudeTeam } from './claude/show-claude-teams.ts'
import { printTeam } from './print-team.ts'

/** Copies a team of Claude Code: its files are read and never written. */
export const teamImport: SubCommand<{ claude?: string }, [team: string | undefined]> = {
  example: `$ deskmates team import --claude web          ~/.claude/teams/web and ~/.claude/tasks/web become the team web
$ deskmates team import shop --claude web     the same, as the team shop`,
  instead: () => 'Only a person imports teams.',
  define(command) {
    command
      .argument('[team]', 'the name of the new team; without it the same name', name)
      .option('--claude <name>', 'the team of Claude Code; see: deskmates team list --claude', claudeName)
  },
  async run(call, { claude }, named) {
    if (claude === undefined)
      throw new Misused('Name the team of Claude Code: --claude NAME. See: deskmates team list --claude')
    const wanted = named ?? claude
    if (!isName(wanted))
      throw new Misused(
        `${JSON.stringify(wanted)} cannot be the name of a team here. Choose one: deskmates team import NEWNAME --claude '${claude.replaceAll("'", "'\\''")}'`,
      )
    const source = requireClaudeTeam(call, claude)
    await using workspace = await openStore(call)
    const existing = (await workspace.store.teams()).find((team) => nameKey(team) === nameKey(wanted))
    const team = await openFolded(call, workspace, existing ?? wanted, true)
    try {
      const origin = `(imported from Claude Code: ${claude})`
      const before = team.state.team.get()
      if (before) {
        const isSame = (await team.loadLongTexts({ text: before.description })).text.endsWith(origin)
        const again = `To import it again: deskmates team import OTHER --claude '${claude}', or delete it first: deskmates team delete ${team.name}`
        const message = `There is a team ${team.name} here already${isSame ? `, imported from Claude Code's ${claude} before` : ''}. Nothing was imported. ${again}`
        if (!isSame) throw new Refused({ code: 'wrong_state', message })
        if (call.globals.json) return await printJson(call, { ...teamView(team.state), imported: null })
        return await printMessage(call, message)
      }
      const description = `${source.description} ${origin}`.trim()
      await team.run({ type: 'team.create', team: team.name, description }).then(granted)
      const { teamsFolder } = workspace
      const inbox = teamsFolder === undefined ? undefined : join(teamsFolder, team.name, 'inbox')
      const imported = await importClaudeTeam(call, team, inbox, source)
      const view = await team.loadLongTexts(teamView(team.state))
      if (call.globals.json) return await printJson(call, { ...view, imported })
      await printTeam(call, view)
      const { members, messages, tasks, left } = imported
      const counts = [counted(members, 'member'), counted(messages, 'message'), counted(tasks, 'task')]
      await printMessage(call, `Imported: ${counts.join(', ')}.${left.length > 0 ? ' Not imported:' : ''}`)
      for (const what of left) await printMessage(call, `  ${what}`)
    } finally {
      await team.close()
    }
  },
}
