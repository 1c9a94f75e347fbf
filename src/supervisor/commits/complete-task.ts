import type { Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { commitFailedText, gateHeldText, noCommitText, repositoryLockedText } from '../../prompts/commits.ts'
import type { Command } from '../../team/command.ts'
import { isOpen, planGate } from '../../team/members/plan-gate.ts'
import { heldBy, memberNamed } from '../../team/state.ts'
import { type Task, taskStatus } from '../../team/task.ts'
import { NotDone } from '../../tools/team/not-done.ts'
import type { TeamMembership } from '../../tools/team-membership.ts'
import { isCommitOf, MAX_HOLDS } from './gates.ts'

type Committing = Pick<SessionContext, 'commits' | 'gatesOf' | 'run' | 'clock'>

/**
 * The membership of an agent: before it completes a task its files are committed, and the completion records the commit. A
 * repository that stays locked, or a gate without a commit, refuses the completion, but not for ever.
 */
export function withCommits(context: Committing, own: Membership, membership: TeamMembership): TeamMembership {
  const { team, by } = own

  async function commitOf(task: Task, given: string | undefined): Promise<string | undefined> {
    const made = await context.commits.commit(own, task, { isPartial: false })
    if (made.kind === 'committed') return made.commit
    if (made.kind === 'locked') await hold(task, repositoryLockedText(task.id, made.why))
    if (made.kind === 'failed') await hold(task, commitFailedText(task.id, made.why))
    if (made.kind === 'nothing' && task.files.length > 0 && context.gatesOf(roleOf(own)).completion)
      if (!(await hasCommit(task))) await hold(task, noCommitText(task))
    return given
  }

  /** What cannot be told passes. */
  async function hasCommit(task: Task): Promise<boolean> {
    const recent = await context.commits.recent()
    return recent?.some((commit) => isCommitOf(task, commit, context.clock.now())) ?? true
  }

  async function hold({ id, attempts }: Task, text: string): Promise<void> {
    if (context.commits.countHold(`${team.name} ${id} ${attempts}`) <= MAX_HOLDS) throw new NotDone(text)
    await reportPassed(context, own, { task: id, text })
  }

  const run: TeamMembership['run'] = async (command, commandId) => {
    const task = heldBy(team.state, by.name)
    const completion = completionOf(command)
    const member = memberNamed(team.state, by.name)
    if (!task || completion?.id !== task.id || !member || !isOpen(planGate(team.state, member)))
      return membership.run(command, commandId)
    const commit = await commitOf(task, completion.commit)
    return membership.run(commit === undefined ? command : { ...completion, commit }, commandId)
  }
  return Object.create(membership, { run: { value: run } })
}

/** A gate let an agent pass although it was not satisfied: the user and the summary of the plan say so. */
export async function reportPassed(
  { run }: Pick<SessionContext, 'run'>,
  { team, by }: Membership,
  { task, text }: { readonly task: string | null; readonly text: string },
): Promise<void> {
  const passed = gateHeldText(MAX_HOLDS, text)
  run.emit({ type: 'note', agent: by.name, text: `[GATE] ${task ?? by.name}: ${passed}` })
  await team.report([{ type: 'deviation.noted', member: by.name, task, text: passed }], { by })
}

type Completion = Extract<Command, { type: 'task.complete' }>

/** A change of nothing but the status is a completion too. */
function completionOf(command: Command): Completion | undefined {
  if (command.type === 'task.complete') return command
  if (command.type !== 'task.update' || taskStatus(command.status ?? '') !== 'completed') return undefined
  const { type: _, id, status: _status, ...changes } = command
  return Object.values(changes).every((value) => value === undefined) ? { type: 'task.complete', id } : undefined
}

export function roleOf({ team, by }: Membership): string {
  return memberNamed(team.state, by.name)?.role ?? ''
}
