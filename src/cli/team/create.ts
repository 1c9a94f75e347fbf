import { teamView } from '../../team/answers/view.ts'
import { nameKey } from '../../team/name.ts'
import { counted } from '../../team/wording.ts'
import { hint, printJson, printMessage } from '../output/print.ts'
import { name } from '../program/arguments.ts'
import { granted, Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { openFolded, teamFlag } from '../workspace/open-team.ts'
import { printTeam } from './print-team.ts'

export const teamCreate: SubCommand<{ description?: string; from?: string }, [team: string]> = {
  example: "$ deskmates team create web --description 'the web shop'",
  instead: () => 'Use your TeamCreate tool.',
  define(command) {
    command
      .argument('<team>', 'its name', name)
      .option('--description <text>', 'what it is for')
      .option('--from <folder>', 'import members, mail and tasks of the old layout (.team)')
  },
  async run(call, { description = '', from }, wanted) {
    // Before anything is made.
    const source = from === undefined ? undefined : (await import('./import-team.ts')).oldTeam(call, from)
    await using workspace = await openStore(call)
    const existing = (await workspace.store.teams()).find((team) => nameKey(team) === nameKey(wanted))
    const team = await openFolded(call, workspace, existing ?? wanted, true)
    // Not under the command id: the record's id becomes the team's id, which trust is bound to, so it is not chosen.
    const { note } = await team.run({ type: 'team.create', team: team.name, description }).then(granted)
    const view = teamView(team.state)
    await team.close()
    if (source === undefined) {
      if (note) await printMessage(call, note)
      await printTeam(call, view)
      const flag = teamFlag(call, team.state)
      return hint(
        call,
        `Add work: deskmates task add 'what to do'${flag}; or put a lead to it: deskmates -p 'what to do'${flag || ` --team ${team.name}`}`,
      )
    }
    if (note) {
      const message = `${note} --from imports into a new team only; choose another name.`
      throw new Refused({ code: 'wrong_state', message })
    }
    const { importTeam } = await import('./import-team.ts')
    const { filled, imported } = await importTeam(call, workspace, team.name, source)
    if (call.globals.json) return printJson(call, { ...filled, imported })
    await printTeam(call, filled)
    const { members, messages, tasks, left } = imported
    const counts = [counted(members, 'member'), counted(messages, 'message'), counted(tasks, 'task')]
    await printMessage(call, `Imported: ${counts.join(', ')}.`)
    for (const what of left) await printMessage(call, `  skipped: ${what}`)
  },
}
