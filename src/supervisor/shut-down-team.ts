import type { TeamHandle } from '../journal/team-handle.ts'
import type { Author } from '../team/event.ts'
import { isPresent, type Member } from '../team/member.ts'
import { nameKey } from '../team/name.ts'
import { isRefusal } from '../team/refusal.ts'
import { refusalText } from '../team/refusal-text.ts'
import type { Request } from '../team/request.ts'
import { roster } from '../team/state.ts'
import { counted } from '../team/wording.ts'
import type { SupervisedTeam } from './supervised-team.ts'
import type { SupervisorEvent } from './supervisor-options.ts'

type Approved = Extract<Request, { state: 'approved' }>

/** A team that is to end, and who ends it. */
export interface ShutdownOptions {
  readonly team: TeamHandle
  readonly by: Author
  readonly crew: Pick<SupervisedTeam, 'waitUntilStopped'>
  /** Files that are changed and not committed; undefined where nothing keeps count. */
  uncommitted(): Promise<number | undefined>
  emit(event: SupervisorEvent): void
}

/**
 * Asks everybody to stop, each with a deadline of its own, waits for them and accounts for all. Nobody keeps a team
 * alive by not answering, or because they could not even be asked.
 */
export async function shutDownTeam(plan: ShutdownOptions): Promise<{ notified: number; report: string[] }> {
  const { team, by, crew, emit: tell } = plan
  const agents = () => roster(team.state).filter(({ kind, name }) => kind === 'agent' && nameKey(name) !== 'lead')
  const all = agents().filter(isPresent)
  const asked: string[] = []
  for (const member of all) {
    const problem = await askToStop(plan, member).catch(String)
    if (problem === undefined) asked.push(member.name)
    else tell({ type: 'note', agent: member.name, text: `[SHUTDOWN] ${member.name} was not asked: ${problem}` })
  }
  if (asked.length < all.length) await goOnWithoutThem(plan)
  await crew.waitUntilStopped(asked)
  for (const { name, generation } of agents().filter(isPresent))
    await team.run({ type: 'member.stop', name, generation, reason: 'the team is being deleted' }, { by })
  const report = all.map(({ name }) =>
    asked.includes(name) ? `- ${name}: ${endOf(team, name)}` : `- ${name}: stopped, could not be asked`,
  )
  report.push(...team.state.deviations.get().map(({ member, text }) => `- left undone by ${member}: ${text}`))
  return { notified: all.length, report }
}

/** Why that did not come off; undefined if it did. */
async function askToStop({ team, by }: ShutdownOptions, { name, status }: Member): Promise<string | undefined> {
  const content = 'Team is being deleted. Please shut down.'
  const isAsked = [...team.state.requests.values()].some(
    ({ kind, to, state }) => kind === 'shutdown' && state === 'pending' && nameKey(to) === nameKey(name),
  )
  if (isAsked) return undefined
  const answer =
    status === 'lost'
      ? await team.run({ type: 'member.stop', name, reason: 'the team is being deleted' }, { by })
      : await team.run({ type: 'request.open', kind: 'shutdown', to: name, content }, { by })
  return isRefusal(answer) ? refusalText(answer) : undefined
}

/** Who was not asked cannot say what it leaves: what is not committed is on record. */
async function goOnWithoutThem({ team, by, uncommitted, emit: tell }: ShutdownOptions): Promise<void> {
  tell({ type: 'note', agent: 'lead', text: '[SHUTDOWN] Protocol failed, force-proceeding with cleanup.' })
  const left = await uncommitted()
  if (!left) return
  const text = `${counted(left, 'changed file was', 'changed files were')} not committed when the team was ended by force`
  await team.report([{ type: 'deviation.noted', member: 'lead', task: null, text }], { by })
}

/** Its status, and what it left where it left something. */
function leftBehind({ status, feedback, pendingWork, artifactsCommitted, uncommitted }: Approved): string {
  const facts = [
    status ?? 'clean',
    feedback,
    pendingWork.length > 0 ? `pending work: ${pendingWork.join('; ')}` : '',
    artifactsCommitted === false ? 'artifacts not committed' : '',
    uncommitted ? `uncommitted files: ${uncommitted}` : '',
  ]
  return facts.filter((fact) => fact !== '').join(', ')
}

/** How somebody's last request to stop was answered. */
function endOf({ state }: TeamHandle, name: string): string {
  const request = [...state.requests.values()].findLast(
    ({ kind, to }) => kind === 'shutdown' && nameKey(to) === nameKey(name),
  )
  if (request?.state === 'approved') return `shut down (${leftBehind(request)})`
  return request ? `stopped: ${request.state.replace('_', ' ')}` : 'had been lost before'
}
