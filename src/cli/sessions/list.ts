import { openStore } from '../open-store.ts'
import { hint, print, printJsonArray, say } from '../print.ts'
import type { SubCommand } from '../sub-command.ts'
import { findSessions } from './find-sessions.ts'
import { sessionTable } from './show-sessions.ts'

export const sessionsList: SubCommand<object> = {
  example: `$ deskmates sessions               the sessions of this folder, the one that was used last first
$ deskmates sessions list --json`,
  define() {},
  async run(call) {
    await using workspace = await openStore(call)
    const sessions = await findSessions(call, workspace)
    if (call.globals.json) return printJsonArray(call, sessions)
    await print(call, sessionTable(call, sessions))
    if (sessions.length === 0) await say(call, "There are no sessions here. Begin one: deskmates -p 'what to do'")
    else
      await hint(
        call,
        "Go on with one: deskmates -r SESSION -p 'what to do'. Remove old ones: deskmates sessions prune",
      )
  },
}
