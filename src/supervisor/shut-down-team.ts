import type { Membership } from '../agent/membership.ts'
import type { SessionContext } from '../agent/session-context.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import { TEAM_DELETED_REQUEST } from '../prompts/reports.ts'
import { isPresent, type Member } from '../team/members/member.ts'
import { nameKey } from '../team/name.ts'
import { isRefusal } from '../team/refusal.ts'
import { refusalText } from '../team/refusal-text.ts'
import type { Request } from '../team/request.ts'
import { roster } from '../team/state.ts'
import { counted } from '../team/wording.ts'
import type { SupervisedTeam } from './supervised-team.ts'

type Approved = Extract<Request, { state: 'approved' }>

/**
 * Asks every teammate to stop, each with its own deadline, waits for them and reports how each ended. A teammate that
 * does not answer, or cannot be asked, is stopped by force.
 */
export async function shutDownTeam(
  context: Pick<SessionContext, 'uncommitted' | 'run'>,
  supervised: Pick<SupervisedTeam, 'team' | 'by' | 'waitUntilStopped'>,
): Promise<{ notified: number; report: string[] }> {
  const { team, by } = supervised
  const agents = () => roster(team.state).filter(({ kind, name }) => kind === 'agent' && nameKey(name) !== 'lead')
  const all = agents().filter(isPresent)
  const asked: string[] = []
  for (const member of all) {
    const problem = await askToStop(supervised, member).catch(String)
    if (problem === undefined) asked.push(member.name)
    else
      context.run.emit({
        type: 'note',
        agent: member.name,
        text: `[SHUTDOWN] ${member.name} was not asked: ${problem}`,
      })
  }
  if (asked.length < all.length) await continueWithoutThem(context, supervised)
  await supervised.waitUntilStopped(asked)
  for (const { name, generation } of agents().filter(isPresent))
    await team.run({ type: 'member.stop', name, generation, reason: 'the team is being deleted' }, { by })
  const report = all.map(({ name }) =>
    asked.includes(name) ? `- ${name}: ${endOf(team, name)}` : `- ${name}: stopped, could not be asked`,
  )
  report.push(...team.state.deviations.get().map(({ member, text }) => `- left undone by ${member}: ${text}`))
  return { notified: all.length, report }
}

/** Why it could not be asked; undefined if it was. */
async function askToStop({ team, by }: Membership, { name, status }: Member): Promise<string | undefined> {
  const isAsked = [...team.state.requests.values()].some(
    ({ kind, to, state }) => kind === 'shutdown' && state === 'pending' && nameKey(to) === nameKey(name),
  )
  if (isAsked) return undefined
  const answer =
    status === 'lost'
      ? await team.run({ type: 'member.stop', name, reason: 'the team is being deleted' }, { by })
      : await team.run({ type: 'request.open', kind: 'shutdown', to: name, content: TEAM_DELETED_REQUEST }, { by })
  return isRefusal(answer) ? refusalText(answer) : undefined
}

/** A teammate that was not asked cannot say what it leaves undone, so uncommitted changes are recorded. */
async function continueWithoutThem(
  { uncommitted, run }: Pick<SessionContext, 'uncommitted' | 'run'>,
  { team, by }: Membership,
): Promise<void> {
  run.emit({ type: 'note', agent: 'lead', text: '[SHUTDOWN] Protocol failed, force-proceeding with cleanup.' })
  const left = await uncommitted()
  if (!left) return
  const text = `${counted(left, 'changed file was', 'changed files were')} not committed when the team was ended by force`
  await team.report([{ type: 'deviation.noted', member: 'lead', task: null, text }], { by })
}

/** Its status, and what it left undone. */
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

/** How a teammate's last request to stop was answered. */
function endOf({ state }: TeamHandle, name: string): string {
  const request = [...state.requests.values()].findLast(
    ({ kind, to }) => kind === 'shutdown' && nameKey(to) === nameKey(name),
  )
  if (request?.state === 'approved') return `shut down (${leftBehind(request)})`
  return request ? `stopped: ${request.state.replace('_', ' ')}` : 'had been lost before'
}
