import { allTasks, claims, overlappingClaim, readyTasks } from '../../team/board/board.ts'
import { suits } from '../../team/board/decide-claims.ts'
import { assume } from '../../team/decide.ts'
import { nameKey } from '../../team/name.ts'
import { overdue } from '../../team/requests/overdue.ts'
import { heldBy, memberNamed, type TeamState } from '../../team/state.ts'
import type { Task } from '../../team/task.ts'
import { print, printJsonArray, printMessage } from '../output/print.ts'
import { member as aMember, boardStatus } from '../program/arguments.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { presentMember, withTeam } from '../workspace/open-team.ts'
import { board, type ShownTask, shownTask } from './print-task.ts'

interface Options {
  ready?: boolean
  status?: Task['status']
  as?: string
}

export const taskList: SubCommand<Options> = {
  example: '$ deskmates task list --ready --as ada',
  define(command) {
    command
      .option('--ready', 'only what can be claimed now: pending, nothing to wait for, no files in use')
      .option('--status <status>', 'only those that are pending, in_progress, completed or failed', boardStatus)
      .option('--as <member>', 'with --ready: what this member could claim', aMember)
  },
  run: (call, options) =>
    withTeam(call, 'read', async ({ name, state, loadLongTexts: whole }) => {
      const asker = options.as === undefined ? undefined : presentMember(state, options.as)
      const now = call.clock.now()
      const all = options.ready
        ? readyFor(state, asker, now)
        : allTasks(state).map((task) => shownTask(state, task, now))
      const tasks = await whole(options.status ? all.filter((task) => task.status === options.status) : all)
      if (call.globals.json) return printJsonArray(call, tasks)
      await print(call, board(call, tasks))
      if (tasks.length === 0)
        await printMessage(call, `${options.ready ? 'Nothing is ready' : 'No tasks'} in team ${name}.`)
    }),
}

/** The tasks that a claim could get now: leases that are over count as over, although no writer has recorded that yet. */
export function readyFor(state: TeamState, asker: string | undefined, now: number): ShownTask[] {
  return state.trial.run(() => {
    const none = new Set<string>()
    const about = { id: '', by: { name: 'user' }, now, dead: none, unknown: none, self: '' }
    assume(state, overdue(state, about), about)
    const member = asker === undefined ? undefined : memberNamed(state, asker)
    if (member && heldBy(state, member.name)) return []
    const live = claims(state)
    const claimable = readyTasks(state).filter((task) =>
      member ? suits(state, task, member) : asker === undefined && !overlappingClaim(live, task.files),
    )
    const own = (assignee: string | null) => (member && assignee && nameKey(assignee) === nameKey(member.name) ? 0 : 1)
    return claimable.sort((a, b) => own(a.assignee) - own(b.assignee)).map((task) => shownTask(state, task, now))
  })
}
