import type { TeamHandle } from '../../journal/team-handle.ts'
import type { TeamActivity } from '../../session/team-activity.ts'
import type { TimedLine } from '../../session/wire/live-line.ts'
import { TeamError } from '../../team/errors.ts'
import { dumpState } from '../../team/fold/snapshot.ts'
import { applyLine } from '../../view/apply-line.ts'
import { emptyView, type View } from '../../view/view.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'

/** A process that does not answer in this time is shown by what its journal says. */
const MAX_WAIT_S = 2

/** The view of one team: its journal, and what its session says of open questions where a process of this machine runs it. */
export async function statusView(
  call: Call,
  team: TeamHandle,
  workspace: Workspace,
  activity: TeamActivity,
): Promise<View> {
  const view = emptyView()
  const state = await team.loadLongTexts(dumpState(team.state))
  const base = { session_id: team.name, agent: 'lead', team: team.name } as const
  const line = { type: 'deskmates/state', ...base, seq: team.cursor.seq, state } as const
  applyLine(view, { at: call.clock.now(), line })
  if (activity === 'interrupted') view.interrupted.add(team.name)
  if (activity === 'at work') for (const live of await liveLines(call, workspace, team.name)) applyLine(view, live)
  return view
}

/** What only the running session knows of this team; nothing where it cannot be reached. */
async function liveLines(call: Call, workspace: Workspace, team: string): Promise<readonly TimedLine[]> {
  const { findControl } = await import('../../session/control/find-control.ts')
  const lines: TimedLine[] = []
  const cancels: (() => void)[] = []
  const late = new Promise<undefined>((resolve) => {
    cancels.push(call.clock.in(MAX_WAIT_S, () => resolve(undefined)))
  })
  try {
    const control = await Promise.race([findControl(workspace, team, call.env), late])
    if (!control) return []
    const opening = new Promise<void>((resolve) => {
      const stop = control.subscribe(
        (timed) => {
          lines.push(timed)
          // The last line that brings a view up to date.
          if (timed.line.type === 'deskmates/run') resolve()
        },
        () => resolve(),
      )
      cancels.push(stop)
    })
    await Promise.race([opening, late])
    await control[Symbol.asyncDispose]()
  } catch (error) {
    if (!(error instanceof TeamError)) throw error
  } finally {
    for (const cancel of cancels) cancel()
  }
  return lines.filter(({ line }) => line.type === 'deskmates/question' && line.team === team)
}
