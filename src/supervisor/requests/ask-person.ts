import type { Ask, AskPlan, PersonAnswer, Question } from '../../agent/questions.ts'
import { type TeamHandle, USER } from '../../journal/team-handle.ts'
import type { Action, Permission } from '../../permissions/permission.ts'
import { refusalForModel } from '../../prompts/refusals.ts'
import { personRefusedText, unansweredQuestionText } from '../../prompts/requests.ts'
import type { Author } from '../../team/event.ts'
import { shutdownOf } from '../../team/members/shutdown-request.ts'
import { isAsking } from '../../team/progress/next-step.ts'
import { isRefusal } from '../../team/refusal.ts'
import { whyVoid } from '../../team/requests/overdue.ts'
import { memberNamed } from '../../team/state.ts'

/**
 * Asks a person to allow an action of one member, which waits without a time limit while the other agents continue. The
 * journal shows the question; only an answer given to this process counts, so a process that resumes asks again.
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
  reportStatus('waiting_approval')
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
    const why = `the question could not be asked: ${error instanceof Error ? error.message : String(error)}`
    await withdraw(why)
    return { allowed: false, why }
  } finally {
    stopWatching()
    signal.removeEventListener('abort', look)
    if (!signal.aborted && !isAsking(team.state, by)) reportStatus('working')
  }

  /** Why the answer is not needed any more; undefined while it is. */
  function whyOver(): string | undefined {
    if (signal.aborted) return INTERRUPTED
    const request = team.state.requests.get(id)
    if (!request) return 'its request was removed'
    if (request.state === 'rejected') return REJECTED
    // An approval that stands only in the journal allows nothing.
    if (request.state === 'approved') return undefined
    if (request.state !== 'pending') return request.reason
    const member = memberNamed(team.state, by.name)
    if (member && shutdownOf(team.state, member)) return `${by.name} was asked to stop`
    return whyVoid(team.state, request)
  }

  /** Writes the answer to the journal before anything follows from it. */
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

  function reportStatus(status: 'waiting_approval' | 'working'): void {
    if (by.name === 'lead') return
    const activity = { type: 'member.activity', name: by.name, generation: by.generation!, status } as const
    // A journal that cannot be written stops the conversation by itself.
    team.report([activity], { by, until: 'written' }).catch(() => {})
  }
}

/** Asks a person about a plan until there is an answer, here or by `deskmates answer`, or none is needed any more. */
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
    if (given) await recordAnswer(given)
  } catch (error) {
    await recordAnswer({ allowed: false, why: `The question could not be asked: ${String(error)}` })
  } finally {
    stopWatching()
    closing.removeEventListener('abort', look)
  }

  async function recordAnswer(given: PersonAnswer): Promise<void> {
    const feedback = given.allowed ? '' : (given.why ?? '')
    await team.run({ type: 'request.answer', id, approve: given.allowed, feedback }, { by: USER })
  }
}

const INTERRUPTED = 'the agent was interrupted'
const REJECTED = 'it was rejected'

/** The action, as a person reads it. */
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

/** No person refused it: the agent may ask again. */
function unanswered(reason: string): Permission {
  return { allowed: false, why: unansweredQuestionText(reason), isTemporary: true }
}

/** The answer; undefined if the question is over before. */
function firstOf<T>(answer: Promise<T>, over: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve(undefined)
    if (over.aborted) giveUp()
    over.addEventListener('abort', giveUp, { once: true })
    answer.then(resolve, reject).finally(() => over.removeEventListener('abort', giveUp))
  })
}
