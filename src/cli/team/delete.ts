import { systemClock } from '../../journal/clock.ts'
import { type TeamHandle, USER } from '../../journal/team-handle.ts'
import { removeLeftFolders } from '../../permissions/sandbox/left-folders.ts'
import { workOverRequest } from '../../prompts/reports.ts'
import { look, pidIn } from '../../stores/identity.ts'
import { giveUpTeam } from '../../supervisor/lead/leading-session.ts'
import { endLeftProcesses } from '../../supervisor/shutdown/left-processes.ts'
import { askTeammatesToStop, waitUntilStopped } from '../../supervisor/shutdown/shut-down-team.ts'
import { watchTeam } from '../../supervisor/watch-team.ts'
import { memberNamed } from '../../team/state.ts'
import { counted } from '../../team/wording.ts'
import type { Workspace } from '../../workspace.ts'
import { print, printJson, warn } from '../output/print.ts'
import { name } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import { granted, Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { withTeam } from '../workspace/open-team.ts'
import { refuseLiveSupervisor } from '../workspace/refuse-live-supervisor.ts'

export const teamDelete: SubCommand<{ purge?: boolean }, [team: string]> = {
  example: `$ deskmates team delete web             moves it to .teams/.deleted
$ deskmates team delete web --purge     for good`,
  instead: () => 'Use your TeamDelete tool.',
  define(command) {
    command.argument('<team>', 'its name', name).option('--purge', 'remove it for good instead of moving it away')
  },
  async run(call, { purge = false }, wanted) {
    const stopped = await withTeam(call, 'write', (team, workspace) => shutDown(call, team, workspace), wanted)
    // Through a handle of its own: closing it writes the message to the inbox files before they are removed.
    const notified = await withTeam(call, 'write', notifyMembers, wanted)
    await withTeam(
      call,
      'write',
      async (team, { store, teamsFolder }) => {
        granted(await team.run({ type: 'team.delete' }))
        const openTasks = [...team.state.tasks.values()]
          .filter(({ status }) => status !== 'completed')
          .map(({ id }) => id)
        const { session } = team.state.team.get() ?? {}
        await team.close()
        // Recorded before the team is removed: a team that is led and missing counts as one whose journal is lost.
        if (session) await giveUpTeam(store, session, team.name, 'the user deleted it.')
        await store.remove(team.name, purge)
        const done = { name: team.name, deleted: true, purged: purge, notified, stopped, openTasks }
        if (call.globals.json) return printJson(call, done)
        const away = teamsFolder === undefined ? 'archived in the database' : 'moved to .teams/.deleted'
        const where = purge ? 'removed for good' : away
        const lines = [`Team ${team.name} deleted, ${counted(notified.length, 'member')} notified; ${where}.`]
        if (stopped.length > 0) lines.push(`Stopped first: ${stopped.join(', ')}.`)
        if (openTasks.length > 0)
          lines.push(`Left open: ${counted(openTasks.length, 'task')} (${openTasks.join(', ')}).`)
        await print(call, `${lines.join('\n')}\n`)
      },
      wanted,
    )
  },
}

/** Asks working agents to stop first; their runtime answers, or ends them when their time is up. */
async function shutDown(call: Call, team: TeamHandle, { store }: Workspace): Promise<string[]> {
  const { runtime } = team.state.supervisor.get()
  if (team.state.team.get()?.deleted || runtime === null) return []
  const seen = await store.presence.look(runtime)
  if (seen === 'dead') {
    await endLeftProcesses(store, team)
    removeLeftFolders((other) => look(other) === 'dead')
    return []
  }
  if (seen === 'unknown') await refuseLiveSupervisor(team, store.presence, 'Stop it first, then delete the team.')
  const closing = new AbortController()
  const stop = AbortSignal.any([closing.signal, call.signal])
  const watching = watchTeam(
    { team, clock: systemClock, reportProblem: (error) => void warn(call, String(error)) },
    stop,
  )
  const { all, asked } = await askTeammatesToStop(
    { team, by: USER },
    (name, problem) => void warn(call, `${name}: ${problem}`),
    { reason: 'user_abort', request: workOverRequest('user_abort', team.name) },
  )
  await waitUntilStopped(team, systemClock, asked, call.signal)
  closing.abort()
  await watching
  const names = all.map(({ name }) => name)
  const left = names.filter((name) => !['stopped', 'lost'].includes(memberNamed(team.state, name)?.status ?? 'stopped'))
  if (left.length === 0) return names
  const message = `${left.join(', ')} did not stop. Team ${team.name} is run by process ${pidIn(runtime)}: end it, then delete the team.`
  throw new Refused({ code: 'supervised', message })
}

async function notifyMembers(team: TeamHandle): Promise<string[]> {
  // A deletion that a crash interrupted only has to be finished.
  if (team.state.team.get()?.deleted) return []
  const effects = granted(await team.send({ to: 'all', content: 'This team is being deleted.' }))
  return effects.filter(({ outcome }) => outcome === 'queued').map(({ to }) => to)
}
