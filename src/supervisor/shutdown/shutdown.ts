import type { Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { createIds } from '../../journal/ids.ts'
import { shutdownTimedOutText } from '../../prompts/reports.ts'
import type { Author, TeamEvent } from '../../team/event.ts'
import { shutdownOf } from '../../team/members/shutdown-request.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal } from '../../team/refusal.ts'
import type { Request } from '../../team/request.ts'
import { heldBy, memberNamed, type TeamState } from '../../team/state.ts'
import type { Task } from '../../team/task.ts'
import { counted } from '../../team/wording.ts'
import type { TeamMembership } from '../../tools/team-membership.ts'

type Stopping = Pick<SessionContext, 'clock' | 'uncommitted' | 'run'>

/** Answers a request to stop for an idle teammate that owes nothing, without a model call. */
export async function agreeToStop({ uncommitted }: Stopping, { team }: Membership, by: Author): Promise<void> {
  const member = memberNamed(team.state, by.name)
  const request = member && shutdownOf(team.state, member)
  if (!request) return
  const left = await uncommitted()
  const checked = { artifactsCommitted: left === undefined ? null : left === 0, uncommitted: left ?? null }
  await team.run({ type: 'request.answer', id: request.id, approve: true, status: 'clean', ...checked }, { by })
}

/** Adds the count of uncommitted files when a teammate agrees to stop by a tool call. */
export function countingUncommitted(
  membership: TeamMembership,
  uncommitted: SessionContext['uncommitted'],
): TeamMembership {
  const run: TeamMembership['run'] = async (command, commandId) => {
    const isStop =
      command.type === 'request.answer' &&
      command.approve &&
      membership.state.requests.get(command.id)?.kind === 'shutdown'
    return membership.run(isStop ? { ...command, uncommitted: (await uncommitted()) ?? null } : command, commandId)
  }
  return Object.create(membership, { run: { value: run } })
}

/** Stops a teammate that agreed to it. Work it left undone, or reported as committed and did not commit, is recorded. */
export async function stopMember(context: Stopping, lead: Membership, by: Author): Promise<void> {
  const { team } = lead
  const notes = await leftUndone(context, team.state, by)
  if (notes.length > 0) await team.report(notes, { by: lead.by })
  await team.run({ type: 'member.stop', name: by.name, reason: 'shut down' }, { by })
}

/** What a teammate leaves by its answer, its claim and the files that are not committed. */
async function leftUndone({ uncommitted }: Stopping, state: TeamState, by: Author): Promise<TeamEvent[]> {
  const request = agreedShutdown(state, by)
  const notes: TeamEvent[] = (request?.pendingWork ?? []).map((text) => deviation(by.name, null, text))
  const task = heldBy(state, by.name)
  if (task) notes.push(deviation(by.name, task.id, `stopped while it held the task (${task.subject})`))
  const left = request?.artifactsCommitted ? await uncommitted() : undefined
  const files = counted(left ?? 0, 'changed file is', 'changed files are')
  if (left) notes.push(deviation(by.name, null, `said that all is committed, but ${files} not`))
  if (request?.status === 'error') notes.push(deviation(by.name, null, `stopped with an error: ${request.feedback}`))
  return notes
}

const newId = createIds()

/** Stops a teammate that did not answer in time, or agreed and did not stop. */
export async function forceStop(context: Stopping, { team, by }: Membership, { id }: Request): Promise<void> {
  // It may have stopped meanwhile; or it was lost and brought back, and the new generation was not asked.
  const request = openShutdowns(team.state).find((open) => open.id === id)
  if (!request) return
  const isAnswered = request.state === 'approved'
  const seconds = Math.round((request.deadline ?? request.openedAt) - request.openedAt)
  const task = heldBy(team.state, request.to)
  const what = isAnswered ? 'agreed to stop, but still ran after' : 'did not respond within'
  context.run.emit({ type: 'note', agent: request.to, text: `[SHUTDOWN] Timeout: ${request.to} ${what} ${seconds}s.` })
  const left = await context.uncommitted()
  const unsaid = task
    ? stoppedWithTask(request.to, task)
    : deviation(request.to, null, 'did not answer before it was stopped')
  const asked = { name: request.to, generation: request.toGeneration }
  const notes = isAnswered ? await leftUndone(context, team.state, asked) : [unsaid]
  if (notes.length > 0) await team.report(notes, { by })
  const stopped = await team.run(
    { type: 'member.stop', name: request.to, generation: request.toGeneration, reason: 'timed_out' },
    { by },
  )
  // What a teammate that agreed leaves unfinished is in its own answer.
  if (isRefusal(stopped) || isAnswered) return
  const content = shutdownTimedOutText(request.to, seconds, task, left)
  const answer = { type: 'shutdown_response', from: request.to, to: 'lead', request_id: request.id } as const
  const message = { id: newId(), ...answer, content, timestamp: context.clock.now() }
  await team.report([{ type: 'message.sent', message }], { by })
}

/** Requests to stop whose deadline passed while the teammate is still there. */
export function overdueShutdowns(state: TeamState, now: number): Request[] {
  return openShutdowns(state).filter(({ deadline }) => deadline !== null && deadline <= now)
}

/** Requests to stop that are not done: not answered yet, or agreed to and not carried out. */
export function openShutdowns(state: TeamState): Request[] {
  return [...state.requests.values()].filter(({ kind, state: answer, to, toGeneration }) => {
    if (kind !== 'shutdown' || !['pending', 'approved', 'timed_out'].includes(answer)) return false
    const member = memberNamed(state, to)
    return (
      member?.generation === toGeneration && member.kind === 'agent' && !['stopped', 'lost'].includes(member.status)
    )
  })
}

function agreedShutdown(
  state: TeamState,
  { name, generation }: Author,
): Extract<Request, { state: 'approved' }> | undefined {
  for (const request of state.requests.values()) {
    if (request.kind !== 'shutdown' || request.state !== 'approved') continue
    if (nameKey(request.to) === nameKey(name) && request.toGeneration === generation) return request
  }
  return undefined
}

/** A teammate that is stopped by force leaves the task that it holds. */
export function stoppedWithTask(name: string, { id, subject }: Task): TeamEvent {
  return deviation(name, id, `was stopped while it held the task (${subject})`)
}

function deviation(member: string, task: string | null, text: string): TeamEvent {
  return { type: 'deviation.noted', member, task, text }
}
