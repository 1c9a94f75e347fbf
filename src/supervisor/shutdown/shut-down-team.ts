import type { Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import type { AlarmClock } from '../../journal/clock.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { TEAM_DELETED_REQUEST } from '../../prompts/reports.ts'
import { isPresent, type Member } from '../../team/members/member.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import type { Request } from '../../team/request.ts'
import { heldBy, memberNamed, roster, type TeamState } from '../../team/state.ts'
import { counted } from '../../team/wording.ts'
import { stoppedWithTask } from './shutdown.ts'

type Approved = Extract<Request, { state: 'approved' }>

/** Why teammates are asked to stop, and which of them. */
export interface ShutdownEnding {
  /** Recorded of a teammate that is stopped. */
  readonly reason: string
  /** What a teammate reads. */
  readonly request: string
  /** Every teammate, if it is missing. */
  readonly isMeant?: (member: Member) => boolean
}

const DELETED: ShutdownEnding = { reason: 'the team is being deleted', request: TEAM_DELETED_REQUEST }

/** How often a teammate that refuses to stop is asked again. */
const MAX_RETRIES = 3

function isMeant({ isMeant: check }: ShutdownEnding, member: Member): boolean {
  return check?.(member) ?? true
}

/**
 * Asks every teammate to stop, each with its own deadline, waits for them and reports how each ended. A teammate that
 * does not answer, or cannot be asked, is stopped by force.
 */
export async function shutDownTeam(
  context: Pick<SessionContext, 'uncommitted' | 'run' | 'clock'>,
  membership: Membership,
  ending: ShutdownEnding = DELETED,
): Promise<{ notified: number; report: string[] }> {
  const { team, by } = membership
  const ask = (whom: ShutdownEnding) =>
    askTeammatesToStop(
      membership,
      (agent, problem) =>
        context.run.emit({ type: 'note', agent, text: `[SHUTDOWN] ${agent} was not asked: ${problem}` }),
      whom,
    )
  const { all, asked } = await ask(ending)
  if (asked.length < all.length) await continueWithoutThem(context, membership)
  await waitUntilStopped(team, context.clock, asked)
  // A teammate that refused is asked again, and stopped in the end.
  const hasRefused = ({ name }: Member) => shutdownRequestOf(team.state, name)?.state === 'rejected'
  for (let retry = 1; retry <= MAX_RETRIES; retry++) {
    const { asked: again } = await ask({
      ...ending,
      isMeant: (member) => isMeant(ending, member) && hasRefused(member),
    })
    if (again.length === 0) break
    await waitUntilStopped(team, context.clock, again)
  }
  for (const { name, generation } of teammates(team).filter((member) => isPresent(member) && isMeant(ending, member))) {
    const task = heldBy(team.state, name)
    if (task) await team.report([stoppedWithTask(name, task)], { by })
    await team.run({ type: 'member.stop', name, generation, reason: ending.reason }, { by })
  }
  const report = all.map(({ name }) =>
    asked.includes(name) ? `- ${name}: ${endOf(team, name)}` : `- ${name}: stopped, could not be asked`,
  )
  report.push(...team.state.deviations.get().map(({ member, text }) => `- left undone by ${member}: ${text}`))
  return { notified: all.length, report }
}

/** Asks every teammate that is present to stop. `asked` are those that could be asked. */
export async function askTeammatesToStop(
  membership: Membership,
  onProblem: (name: string, problem: string) => void,
  ending: ShutdownEnding = DELETED,
): Promise<{ all: readonly Member[]; asked: readonly string[] }> {
  const all = teammates(membership.team).filter((member) => isPresent(member) && isMeant(ending, member))
  const asked: string[] = []
  for (const member of all) {
    const problem = await askToStop(membership, member, ending).catch(String)
    if (problem === undefined) asked.push(member.name)
    else onProblem(member.name, problem)
  }
  return { all, asked }
}

/** Longer than the 30 s that a teammate has to answer: the process that runs it stops it by force then. */
const MAX_SHUTDOWN_S = 35

/** Resolves when all of these have stopped, were lost, refused to stop, or had time enough. Needs a team that is watched. */
export function waitUntilStopped(
  team: TeamHandle,
  clock: AlarmClock,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const stopWatching = team.watch(check)
    const cancel = clock.in(MAX_SHUTDOWN_S, done)
    signal?.addEventListener('abort', done)
    check()
    function check(): void {
      if (signal?.aborted || names.every((name) => hasEnded(team, name))) done()
    }
    function done(): void {
      stopWatching()
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
  })
}

/** Stopped or lost, or it refused to stop. */
function hasEnded({ state }: TeamHandle, name: string): boolean {
  const member = memberNamed(state, name)
  if (!member || member.status === 'stopped' || member.status === 'lost') return true
  const request = shutdownRequestOf(state, name)
  return request?.state === 'rejected' || request?.state === 'void'
}

function teammates({ state }: TeamHandle): Member[] {
  return roster(state).filter(({ kind, name }) => kind === 'agent' && nameKey(name) !== 'lead')
}

function shutdownRequestOf(state: TeamState, name: string): Request | undefined {
  return [...state.requests.values()].findLast(({ kind, to }) => kind === 'shutdown' && nameKey(to) === nameKey(name))
}

/** Why it could not be asked; undefined if it was. */
async function askToStop(
  { team, by }: Membership,
  { name, status }: Member,
  { reason, request }: ShutdownEnding,
): Promise<string | undefined> {
  const isAsked = [...team.state.requests.values()].some(
    ({ kind, to, state }) => kind === 'shutdown' && state === 'pending' && nameKey(to) === nameKey(name),
  )
  if (isAsked) return undefined
  const answer =
    status === 'lost'
      ? await team.run({ type: 'member.stop', name, reason }, { by })
      : await team.run({ type: 'request.open', kind: 'shutdown', to: name, content: request }, { by })
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
  const request = shutdownRequestOf(state, name)
  if (request?.state === 'approved') return `shut down (${leftBehind(request)})`
  return request ? `stopped: ${request.state.replace('_', ' ')}` : 'had been lost before'
}
