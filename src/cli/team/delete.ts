import type { TeamHandle } from '../../journal/team-handle.ts'
import { pidIn } from '../../stores/identity.ts'
import { giveUpTeam } from '../../supervisor/leading-session.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal } from '../../team/refusal.ts'
import { memberNamed, roster } from '../../team/state.ts'
import { counted } from '../../team/wording.ts'
import type { Workspace } from '../../workspace.ts'
import { print, printJson, warn } from '../output/print.ts'
import { name } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import { granted, Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { refusalForPerson } from '../refusal-text.ts'
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
  if (seen === 'dead') return []
  if (seen === 'unknown') await refuseLiveSupervisor(team, store.presence, 'Stop it first, then delete the team.')
  const agents = roster(team.state).filter(
    ({ kind, name, status }) => kind === 'agent' && nameKey(name) !== 'lead' && !['stopped', 'lost'].includes(status),
  )
  const content = 'This team is being deleted. Please shut down.'
  for (const { name } of agents) {
    const answer = await team.run({ type: 'request.open', kind: 'shutdown', to: name, content })
    if (isRefusal(answer)) await warn(call, `${name}: ${refusalForPerson(answer)}`)
  }
  const isThere = () => agents.filter(({ name }) => memberNamed(team.state, name)?.status !== 'stopped')
  const until = performance.now() + SHUTDOWN_WAIT_MS
  while (isThere().length > 0 && performance.now() < until && !call.signal.aborted) {
    await team.changed(1000, call.signal)
    await team.refresh()
  }
  const left = isThere().map(({ name }) => name)
  if (left.length === 0) return agents.map(({ name }) => name)
  const message = `${left.join(', ')} did not stop. Team ${team.name} is run by process ${pidIn(runtime)}: end it, then delete the team.`
  throw new Refused({ code: 'supervised', message })
}

/** The 30 s a teammate has to answer, and some time for its runtime to end it. */
const SHUTDOWN_WAIT_MS = 40_000

async function notifyMembers(team: TeamHandle): Promise<string[]> {
  // A deletion that a crash interrupted only has to be finished.
  if (team.state.team.get()?.deleted) return []
  const effects = granted(await team.send({ to: 'all', content: 'This team is being deleted.' }))
  return effects.filter(({ outcome }) => outcome === 'queued').map(({ to }) => to)
}
