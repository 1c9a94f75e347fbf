import type { Ask, AskPlan, PersonAnswer, Question } from '../agent/questions.ts'
import { type TeamHandle, USER } from '../journal/team-handle.ts'
import type { Permission } from '../permissions/permission.ts'
import type { Action } from '../permissions/rules/action.ts'
import { refusalForModel } from '../prompts/refusals.ts'
import { personRefusedText, unansweredQuestionText } from '../prompts/requests.ts'
import type { Author } from '../team/event.ts'
import { isAsking, shutdownOf } from '../team/next-step.ts'
import { whyVoid } from '../team/overdue.ts'
import { isRefusal } from '../team/refusal.ts'
import { memberNamed } from '../team/state.ts'

/**
 * Asks for one member, which waits for as long as it takes while the other agents continue. The question stands in the
 * journal, where people see it; the answer counts only because it was given here, so a process that resumes asks again.
 */
export async function askPerson(
  { team, by, ask }: { readonly team: TeamHandle; readonly by: Author; readonly ask: Ask },
  question: Question,
  signal: AbortSignal,
): Promise<Permission> {
  if (signal.aborted) return unanswered(INTERRUPTED)
  const { agent, action, why } = question
  const content = `${agent === by.name ? '' : `for ${agent}: `}${actionText(action)} (${why})`
  const opened = await team.run({ type: 'request.open', kind: 'permission', to: 'user', content }, { by })
  if (isRefusal(opened)) return unanswered(refusalForModel(opened))
  const { id } = opened.request!
  show('waiting_approval')
  const over = new AbortController()
  const look = () => {
    const why = whyOver()
    if (why !== undefined) over.abort(why)
  }
  const stopWatching = team.watch(look)
  signal.addEventListener('abort', look)
  look()
  try {
    const given = over.signal.aborted ? undefined : await firstOf(ask(question, over.signal), over.signal)
    return given === undefined ? await withdraw(String(over.signal.reason)) : await record(given)
  } catch (error) {
    const why = `the question could not be put: ${error instanceof Error ? error.message : String(error)}`
    await withdraw(why)
    return { allowed: false, why }
  } finally {
    stopWatching()
    signal.removeEventListener('abort', look)
    if (!signal.aborted && !isAsking(team.state, by)) show('working')
  }

  /** Why the answer is not needed any more; undefined while it is. */
  function whyOver(): string | undefined {
    if (signal.aborted) return INTERRUPTED
    const request = team.state.requests.get(id)
    if (!request) return 'it was forgotten'
    if (request.state === 'rejected') return REJECTED
    // A yes that only stands in the journal lets nothing happen.
    if (request.state === 'approved') return undefined
    if (request.state !== 'pending') return request.reason
    const member = memberNamed(team.state, by.name)
    if (member && shutdownOf(team.state, member)) return `${by.name} was asked to stop`
    return whyVoid(team.state, request)
  }

  /** The answer is on record before anything follows from it. */
  async function record(given: PersonAnswer): Promise<Permission> {
    const feedback = given.allowed ? '' : (given.why ?? '')
    const answer = { type: 'request.answer', id, approve: given.allowed, feedback } as const
    const recorded = await team.run(answer, { by: USER })
    if (!given.allowed) return { allowed: false, why: personRefusedText(feedback) }
    return isRefusal(recorded)
      ? unanswered(`the answer came too late: ${refusalForModel(recorded)}`)
      : { allowed: true }
  }

  async function withdraw(reason: string): Promise<Permission> {
    const request = team.state.requests.get(id)
    if (request?.state === 'rejected') return { allowed: false, why: personRefusedText(request.feedback) }
    if (request?.state === 'pending') await team.run({ type: 'request.withdraw', id, reason }, { by }).catch(() => {})
    return unanswered(reason)
  }

  function show(status: 'waiting_approval' | 'working'): void {
    if (by.name === 'lead') return
    const activity = { type: 'member.activity', name: by.name, generation: by.generation!, status } as const
    // A journal that cannot be written stops the conversation by itself.
    team.report([activity], { by, until: 'written' }).catch(() => {})
  }
}

/** Until there is an answer, here or by `deskmates answer`, or it is not needed any more. */
export async function askAboutPlan(
  { team, ask }: { readonly team: TeamHandle; readonly ask: AskPlan },
  { id, from, content }: { readonly id: string; readonly from: string; readonly content: string },
  closing: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const look = () => {
    if (closing.aborted || team.state.requests.get(id)?.state !== 'pending') over.abort()
  }
  const stopWatching = team.watch(look)
  closing.addEventListener('abort', look)
  look()
  try {
    const question = { agent: from, team: team.name, plan: content }
    const given = over.signal.aborted ? undefined : await firstOf(ask(question, over.signal), over.signal)
    if (given) await say(given)
  } catch (error) {
    await say({ allowed: false, why: `The question could not be put: ${String(error)}` })
  } finally {
    stopWatching()
    closing.removeEventListener('abort', look)
  }

  async function say(given: PersonAnswer): Promise<void> {
    const feedback = given.allowed ? '' : (given.why ?? '')
    await team.run({ type: 'request.answer', id, approve: given.allowed, feedback }, { by: USER })
  }
}

const INTERRUPTED = 'something else came in between'
const REJECTED = 'it was rejected'

/** What is wanted, for a person. */
export function actionText(action: Action): string {
  switch (action.kind) {
    case 'run':
      return `run: ${action.command}`
    case 'read':
      return `read ${action.path}`
    case 'write':
      return `write ${action.path}`
    case 'use':
      return `use ${action.tool}`
  }
}

/** Nothing was run and no person said no: it may be asked again. */
function unanswered(reason: string): Permission {
  return { allowed: false, why: unansweredQuestionText(reason), isTemporary: true }
}

/** Undefined when it is over before there is an answer. */
function firstOf<T>(answer: Promise<T>, over: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve(undefined)
    if (over.aborted) giveUp()
    over.addEventListener('abort', giveUp, { once: true })
    answer.then(resolve, reject).finally(() => over.removeEventListener('abort', giveUp))
  })
}
