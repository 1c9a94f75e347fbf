import type { TeamHandle } from '../../journal/team-handle.ts'
import type { TaskView } from '../../team/answers/view.ts'
import { allTasks, failedDependencies, openDependencies } from '../../team/board/board.ts'
import { roleKey } from '../../team/members/role.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { nextDeadline } from '../../team/requests/overdue.ts'
import { memberNamed, type TeamState } from '../../team/state.ts'
import type { Task } from '../../team/task.ts'
import { counted } from '../../team/wording.ts'
import { printJson, printMessage } from '../output/print.ts'
import { duration, member } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import { granted } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { acting, withTeam } from '../workspace/open-team.ts'
import { useTaskUpdate } from './change-task.ts'
import { printTask } from './print-task.ts'

interface Options {
  as: string
  lease?: number
  wait?: number | true
}

/** The board is read again at least this often: a process may die without writing a record. */
const MAX_WAIT_MS = 2000

export const taskClaim: SubCommand<Options, [id: string | undefined]> = {
  example: `$ deskmates task claim --as ci --lease 10m --wait
#2 Write the parser
  status  in_progress
  owner   ci, since 2026-03-01 10:00:00
  lease   until 2026-03-01 10:10:00`,
  instead: useTaskUpdate,
  define(command) {
    command
      .argument('[id]', 'the number of the task; without it the next one that is ready')
      .requiredOption('--as <member>', 'who takes it: a joined external or human member', member)
      .option('--lease <time>', 'others may take it after this time (10m) unless it is renewed', duration)
      .option('--wait [time]', 'wait until there is something to claim, for ever or so long', duration)
  },
  run: (call, { as, lease, wait }, id) =>
    withTeam(call, 'write', async (team) => {
      const author = await acting(call, team, as)
      const claim = () => team.run({ type: 'task.claim', id, lease }, author)
      const until = wait === undefined ? 0 : wait === true ? Number.POSITIVE_INFINITY : call.clock.now() + wait
      let answer = await claim()
      while (mayStillHappen(answer, team, id) && call.clock.now() < until && !call.signal.aborted) {
        await team.changed(restUntil(team, call, until), call.signal)
        if (!call.signal.aborted) answer = await claim()
      }
      const { tasks = [], note, earlierAttempts } = granted(answer)
      const [task] = tasks as readonly TaskView[]
      if (task && note) await printMessage(call, note)
      if (task) return printTask(call, { ...task, ...(earlierAttempts && { earlierAttempts }) })
      if (call.globals.json) return printJson(call, null)
      await printMessage(call, `Nothing to claim right now: ${why(team, as)}.`)
    }),
}

/** Is it worth waiting? What only a person can change is not waited for. */
function mayStillHappen(
  answer: Refusal | { tasks?: readonly unknown[] },
  { state }: TeamHandle,
  id: string | undefined,
): boolean {
  if (!isRefusal(answer)) return (answer.tasks ?? []).length === 0
  if (answer.code === 'not_ready' || answer.code === 'files_overlap') return true
  return answer.code === 'wrong_state' && id !== undefined && state.tasks.get(id)?.status === 'in_progress'
}

/** Milliseconds until the next lease ends or the wait is over, at most MAX_WAIT_MS. */
function restUntil({ state }: TeamHandle, { clock }: Call, until: number): number {
  const now = clock.now()
  const next = Math.min(until, nextDeadline(state) ?? Number.POSITIVE_INFINITY)
  return Math.min(MAX_WAIT_MS, Math.max(1, (next - now) * 1000))
}

function why({ state }: TeamHandle, as: string): string {
  const pending = allTasks(state).filter((task) => task.status === 'pending')
  if (pending.length === 0) return 'no task is pending'
  const reasons = new Map<string, number>()
  for (const task of pending) {
    const reason = whyNot(state, task, as)
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  return `${counted(pending.length, 'task')} pending, ${[...reasons].map(([reason, count]) => `${count} ${reason}`).join(', ')}`
}

function whyNot(state: TeamState, task: Task, as: string): string {
  if (failedDependencies(state, task).length > 0) return 'waiting for failed tasks'
  if (openDependencies(state, task).length > 0) return 'waiting for other tasks'
  if (task.assignee !== null && nameKey(task.assignee) !== nameKey(as)) return 'assigned to others'
  const role = memberNamed(state, as)?.role ?? ''
  if (task.role !== null && roleKey(task.role) !== roleKey(role)) return 'for another role'
  return 'in need of files that are in use'
}
