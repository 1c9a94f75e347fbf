import { hint, print, printJsonArray, printMessage } from '../output/print.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { readSessions, sessionTable } from './read-sessions.ts'

export const sessionsList: SubCommand<object> = {
  example: `$ deskmates sessions               the sessions of this folder, the one that was used last first
$ deskmates sessions list --json`,
  define() {},
  async run(call) {
    await using workspace = await openStore(call)
    const sessions = await readSessions(call, workspace)
    if (call.globals.json) return printJsonArray(call, sessions)
    await print(call, sessionTable(call, sessions))
    if (sessions.length === 0)
      await printMessage(call, "There are no sessions here. Start one: deskmates -p 'what to do'")
    else await hint(call, "Resume one: deskmates -r SESSION -p 'what to do'. Remove old ones: deskmates sessions prune")
  },
}
