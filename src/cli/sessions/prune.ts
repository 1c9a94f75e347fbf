import { openTeam } from '../../journal/team-handle.ts'
import type { ListedSession } from '../../session/find-sessions.ts'
import { isSessionId } from '../../team/members/session-id.ts'
import { counted } from '../../team/wording.ts'
import type { Workspace } from '../../workspace.ts'
import { hint, print, printJsonArray, printMessage, warn } from '../output/print.ts'
import { count, duration } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import { EXIT, explain, granted } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { refuseLiveSupervisor } from '../workspace/refuse-live-supervisor.ts'
import { readSessions, sessionTable } from './read-sessions.ts'

interface Options {
  readonly olderThan?: number
  readonly keep?: number
  readonly dryRun?: true
  readonly force?: true
  readonly purge?: true
}

const MONTH_SECONDS = 30 * 86_400

export const sessionsPrune: SubCommand<Options> = {
  example: `$ deskmates sessions prune                        those not used for 30 days
$ deskmates sessions prune --keep 5 --dry-run     shows what would go, all but the newest five
$ deskmates sessions prune --older-than 7d --purge`,
  instead: () => 'Only a person removes sessions.',
  define(command) {
    command
      .option('--older-than <time>', 'those not used for so long: 12h, 30d (30d, unless --keep is given)', duration)
      .option('--keep <n>', 'keep the newest so many', count)
      .option('--dry-run', 'only show what would be removed')
      .option('--force', 'also those with unread mail or open tasks')
      .option('--purge', 'remove them for good instead of moving them to .teams/.deleted')
  },
  async run(call, options) {
    await using workspace = await openStore(call)
    const { chosen, spared } = choose(await readSessions(call, workspace), options, call.clock.now())
    const failed: string[] = []
    if (!options.dryRun)
      for (const session of chosen)
        try {
          await removeSession(call, workspace, session, options.purge === true)
        } catch (error) {
          failed.push(session.name)
          await warn(call, `${session.name} was not removed: ${explain(error, call.env).message}`)
        }
    const gone = chosen.filter(({ name }) => !failed.includes(name))
    if (call.globals.json)
      await printJsonArray(
        call,
        gone.map((one) => ({ ...one, removed: !options.dryRun })),
      )
    else await show(call, gone, spared, options)
    return failed.length > 0 ? EXIT.failed : EXIT.done
  },
}

/**
 * Old sessions without unfinished work. A session that a process works on is never chosen, nor a team that a user
 * named: `team delete` removes that one.
 */
export function choose(sessions: readonly ListedSession[], options: Options, now: number) {
  const { keep = 0, force } = options
  const olderThan = options.olderThan ?? (options.keep === undefined ? MONTH_SECONDS : 0)
  const old = sessions
    .filter(({ name }) => isSessionId(name))
    .slice(keep)
    .filter(({ usedAt }) => now - usedAt >= olderThan)
    .filter(({ state }) => state === 'at rest' || state === 'interrupted')
  const isIdle = ({ unread, openTasks }: ListedSession) => unread === 0 && openTasks === 0
  const chosen = old.filter((session) => force === true || isIdle(session))
  return { chosen, spared: old.filter((session) => !chosen.includes(session)) }
}

/** With the further teams that its lead leads, which no other session resumes. */
async function removeSession(
  call: Call,
  { store }: Workspace,
  { name, teams }: ListedSession,
  purge: boolean,
): Promise<void> {
  // The session comes last: if another removal fails, it still leads that team.
  for (const team of [...teams, name]) {
    await using handle = await openTeam(store, team, { clock: call.clock })
    await handle.refresh()
    // It may have been resumed since it was listed.
    await refuseLiveSupervisor(handle, store.presence, 'It is kept.')
    if (!handle.state.team.get()) continue
    granted(await handle.run({ type: 'team.delete' }))
    await handle.close()
    await store.remove(team, purge)
  }
}

async function show(
  call: Call,
  gone: readonly ListedSession[],
  spared: readonly ListedSession[],
  { dryRun, purge }: Options,
): Promise<void> {
  await print(call, sessionTable(call, gone))
  const where = purge ? 'removed for good' : 'moved to .teams/.deleted'
  const done = dryRun ? 'would be removed' : gone.length === 0 ? 'removed' : where
  await printMessage(call, `${counted(gone.length, 'session')} ${done}.`)
  if (spared.length > 0)
    await printMessage(
      call,
      `${counted(spared.length, 'session')} kept, with unread mail or open tasks; --force removes them too.`,
    )
  if (dryRun && gone.length > 0) await hint(call, 'Leave out --dry-run to do it.')
}
