import { findControl } from '../../session/control/find-control.ts'
import { newestSession } from '../../session/session-id.ts'
import { name } from '../program/arguments.ts'
import { Misused, Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { readSettings } from '../workspace/read-settings.ts'
import { openScreen } from './screen.ts'

interface AttachOptions {
  readonly screenReader?: true
}

/** `deskmates attach [TEAM]`: the screen of a session that runs in another process of this user. */
export const attach: SubCommand<AttachOptions, [team: string | undefined]> = {
  example: `$ deskmates attach           the newest session of this folder
$ deskmates attach web`,
  instead: () => 'Agents are in their session already.',
  define(command) {
    command
      .argument('[team]', 'the session, or a team that it leads; without it the newest of this folder', name)
      .option('--screen-reader', 'plain lines, nothing is drawn again')
  },
  async run(call, { screenReader }, named) {
    await using workspace = await openStore(call)
    const team = named ?? call.globals.team ?? (await newestSession(workspace))
    if (team === undefined)
      throw new Refused({ code: 'no_session', message: 'There is no session in this folder. Start one: deskmates' })
    if (!call.isTerminal || call.isStdinTerminal !== true || call.globals.json)
      throw new Misused(`There is no terminal to draw on. See what happens with: deskmates log --follow --team ${team}`)
    await using control = await findControl(workspace, team, call.env)
    const { settings } = await readSettings(call, workspace)
    await openScreen(call, control, {
      ...{ workspace, cwd: call.cwd, budget: null, settings, savesRules: control.hasFullAccess, isAttached: true },
      isScreenReader: screenReader === true,
    })
  },
}
