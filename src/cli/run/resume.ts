import { newestAtRest } from '../../session/find-sessions.ts'
import { oneLine } from '../output/format.ts'
import { printJsonArray, say } from '../output/print.ts'
import { name } from '../program/arguments.ts'
import { Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { readSessions } from '../sessions/read-sessions.ts'
import { sessionTable } from '../sessions/session-table.ts'
import { openStore } from '../workspace/open-store.ts'
import { defineRunOptions, type RunOptions } from './options.ts'
import { runToEnd } from './run.ts'

/** Of the other sessions so many are shown. */
const SHOWN = 10

/** Goes on with a session: everybody comes back with conversation, claim, unread mail and open requests. */
export const resume: SubCommand<RunOptions, [team: string | undefined]> = {
  example: `$ deskmates resume          goes on with the newest session of this folder until all is settled
$ deskmates resume web      goes on with that one`,
  instead: () => 'Use your Task tool.',
  define(command) {
    command.argument('[team]', 'the session, or a team it leads; without it the newest of this folder', name)
    defineRunOptions(command)
  },
  async run(call, options, team) {
    const wanted = team ?? call.globals.team
    if (wanted !== undefined) return runToEnd(withoutTeam(call), { ...options, resume: wanted }, { needsPrompt: false })
    const sessions = await (async () => {
      await using workspace = await openStore(call)
      return await readSessions(call, workspace)
    })()
    // A program that asks for the list gets it; `sessions list --json` says the same.
    if (call.globals.json && options.outputFormat === undefined) {
      await printJsonArray(call, sessions)
      return 0
    }
    const newest = newestAtRest(sessions)
    if (newest === undefined && sessions.length > 0)
      throw new Refused({
        code: 'supervised',
        message: `Other processes work on every session of this folder. See: deskmates sessions; or begin one: deskmates -p 'what to do'`,
      })
    if (newest === undefined) {
      await say(call, "There are no sessions here. Begin one: deskmates -p 'what to do'")
      return 0
    }
    await say(call, `Going on with ${newest.name}: ${oneLine(newest.title) || '(no title)'}`)
    const others = sessions.filter((session) => session !== newest)
    if (others.length > 0) {
      const more = others.length > SHOWN ? `\n${others.length - SHOWN} more: deskmates sessions` : ''
      const shown = sessionTable({ ...call, isTerminal: false }, others.slice(0, SHOWN)).trimEnd()
      await say(call, `Other sessions:\n${shown}${more}`)
    }
    return runToEnd(call, { ...options, resume: newest.name }, { needsPrompt: false })
  },
}

/** `--team` names the session here, and is not a second wish. */
function withoutTeam<T extends { readonly globals: { readonly team?: string } }>(call: T): T {
  const { team: _, ...globals } = call.globals
  return { ...call, globals }
}
