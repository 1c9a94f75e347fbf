import { createIds } from '../journal/ids.ts'
import type { Author, TeamEvent } from '../team/event.ts'
import { nameKey } from '../team/name.ts'
import { shutdownOf } from '../team/next-step.ts'
import { isRefusal } from '../team/refusal.ts'
import type { Request } from '../team/request.ts'
import { heldBy, memberNamed, type TeamState } from '../team/state.ts'
import { counted } from '../team/wording.ts'
import type { TeamMembership } from '../tools/team-membership.ts'
import type { SupervisedTeamOptions } from './supervisor-options.ts'

type Stopping = Pick<SupervisedTeamOptions, 'team' | 'lead' | 'clock' | 'uncommitted' | 'emit'>

/** Answers a request to stop for somebody who rests and owes nothing. No model is asked. */
export async function agreeToStop({ team, uncommitted }: SupervisedTeamOptions, by: Author): Promise<void> {
  const member = memberNamed(team.state, by.name)
  const request = member && shutdownOf(team.state, member)
  if (!request) return
  const left = await uncommitted()
  const checked = { artifactsCommitted: left === undefined ? null : left === 0, uncommitted: left ?? null }
  await team.run({ type: 'request.answer', id: request.id, approve: true, status: 'clean', ...checked }, { by })
}

/** Who agrees to stop by a tool call says what it leaves; its runtime counts what is not committed. */
export function countingUncommitted(
  seat: TeamMembership,
  uncommitted: SupervisedTeamOptions['uncommitted'],
): TeamMembership {
  const run: TeamMembership['run'] = async (command) => {
    const isStop =
      command.type === 'request.answer' && command.approve && seat.state.requests.get(command.id)?.kind === 'shutdown'
    return seat.run(isStop ? { ...command, uncommitted: (await uncommitted()) ?? null } : command)
  }
  return Object.create(seat, { run: { value: run } })
}

/** Goes, as it agreed to. What it left undone, or said to be committed and is not, is on record. */
export async function stopMember(plan: Stopping, by: Author): Promise<void> {
  const { team, uncommitted, lead } = plan
  const request = agreedShutdown(team.state, by)
  const notes: TeamEvent[] = (request?.pendingWork ?? []).map((text) => deviation(by.name, null, text))
  const task = heldBy(team.state, by.name)
  if (task) notes.push(deviation(by.name, task.id, `stopped while it held the task (${task.subject})`))
  const left = request?.artifactsCommitted ? await uncommitted() : undefined
  const files = counted(left ?? 0, 'changed file is', 'changed files are')
  if (left) notes.push(deviation(by.name, null, `said that all is committed, but ${files} not`))
  if (request?.status === 'error') notes.push(deviation(by.name, null, `stopped with an error: ${request.feedback}`))
  if (notes.length > 0) await team.report(notes, { by: lead })
  await team.run({ type: 'member.stop', name: by.name, reason: 'shut down' }, { by })
}

const newId = createIds()

/** Stops somebody who did not answer in time, or answered and did not go. Nobody waits for them any longer. */
export async function forceStop(plan: Stopping, request: Request): Promise<void> {
  const { team, lead, emit: tell } = plan
  // Lost and brought back while its time ran out: whoever is there now was not asked.
  if (memberNamed(team.state, request.to)?.generation !== request.toGeneration) return
  const seconds = Math.round((request.deadline ?? request.openedAt) - request.openedAt)
  const task = heldBy(team.state, request.to)
  const text = `[SHUTDOWN] Timeout: ${request.to} did not respond within ${seconds}s.`
  tell({ type: 'note', agent: request.to, text })
  const left = (await plan.uncommitted()) ?? 'not checked'
  const why = task ? `was stopped while it held the task (${task.subject})` : 'did not answer before it was stopped'
  await team.report([deviation(request.to, task?.id ?? null, why)], { by: lead })
  const stopped = await team.run(
    { type: 'member.stop', name: request.to, generation: request.toGeneration, reason: 'timed_out' },
    { by: lead },
  )
  if (isRefusal(stopped)) return
  const freed = task ? `; task ${task.id} (${task.subject}), which it held, is free again` : ''
  const content = `${request.to} did not answer within ${seconds} s and was stopped by force (timed_out)${freed}; status, pending work and artifacts committed: not said; uncommitted files: ${left}`
  const answer = { type: 'shutdown_response', from: request.to, to: 'lead', request_id: request.id } as const
  const message = { id: newId(), ...answer, content, timestamp: plan.clock.now() }
  await team.report([{ type: 'message.sent', message }], { by: lead })
}

/** Requests to stop whose time is up although whom they ask is still there. */
export function overdueShutdowns(state: TeamState, now: number): Request[] {
  return openShutdowns(state).filter(({ deadline }) => deadline !== null && deadline <= now)
}

/** Requests to stop that somebody has still to follow: not answered yet, or agreed to and not gone. */
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

function deviation(member: string, task: string | null, text: string): TeamEvent {
  return { type: 'deviation.noted', member, task, text }
}
