import { newestAtRest } from '../../session/find-sessions.ts'
import { oneLine } from '../output/format.ts'
import { printJsonArray, printMessage } from '../output/print.ts'
import { name } from '../program/arguments.ts'
import { Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { readSessions, sessionTable } from '../sessions/read-sessions.ts'
import { openStore } from '../workspace/open-store.ts'
import { defineRunOptions, type RunOptions } from './options.ts'
import { runToEnd } from './run.ts'

const MAX_SHOWN = 10

/** Resumes a session: every agent continues with its conversation, claim, unread mail and open requests. */
export const resume: SubCommand<RunOptions, [team: string | undefined]> = {
  example: `$ deskmates resume          resumes the newest session of this folder until all work is finished
$ deskmates resume web      resumes that one`,
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
        message: `Other processes work on every session of this folder. See: deskmates sessions; or start one: deskmates -p 'what to do'`,
      })
    if (newest === undefined) {
      await printMessage(call, "There are no sessions here. Start one: deskmates -p 'what to do'")
      return 0
    }
    await printMessage(call, `Resuming ${newest.name}: ${oneLine(newest.title) || '(no title)'}`)
    const others = sessions.filter((session) => session !== newest)
    if (others.length > 0) {
      const more = others.length > MAX_SHOWN ? `\n${others.length - MAX_SHOWN} more: deskmates sessions` : ''
      const shown = sessionTable({ ...call, isTerminal: false }, others.slice(0, MAX_SHOWN)).trimEnd()
      await printMessage(call, `Other sessions:\n${shown}${more}`)
    }
    return runToEnd(call, { ...options, resume: newest.name }, { needsPrompt: false })
  },
}

/** `--team` names the session here, so it must not be read again as a team. */
function withoutTeam<T extends { readonly globals: { readonly team?: string } }>(call: T): T {
  const { team: _, ...globals } = call.globals
  return { ...call, globals }
}
