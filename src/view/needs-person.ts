import { nameKey } from '../team/name.ts'
import type { RequestKind } from '../team/request.ts'
import type { OpenQuestion, View } from './view.ts'

/** Something that only a person can settle, the oldest first of its kind. */
export type Need =
  /** An agent waits for the answer, and only this session can take it. */
  | { readonly kind: 'question'; readonly at: number; readonly team: string; readonly question: OpenQuestion }
  /** A member waits for the user; any process may answer. */
  | {
      readonly kind: 'request'
      readonly at: number
      readonly team: string
      readonly id: string
      readonly request: RequestKind
      readonly from: string
      readonly content: string
    }
  /** Tasks that wait for it cannot begin before it is reopened or deleted. */
  | {
      readonly kind: 'failed_task'
      readonly at: number
      readonly team: string
      readonly task: string
      readonly subject: string
      readonly reason: string
    }
  /** A person sent no message, but has unread mail. */
  | { readonly kind: 'mail'; readonly at: number; readonly team: string; readonly count: number; readonly from: string }

export function needsPerson(view: View): Need[] {
  const questions = [...view.questions.values()].map(
    (question): Need => ({ kind: 'question', at: question.at, team: question.team, question }),
  )
  const rest = [...view.teams].flatMap(([team, state]): Need[] => {
    const requests = [...state.requests.values()].flatMap((request): Need[] => {
      if (request.state !== 'pending' || nameKey(request.to) !== 'user') return []
      // The question that belongs to it is listed with all it asks about.
      const isAsked = [...view.questions.values()].some(
        (question) => question.team === team && nameKey(question.agent) === nameKey(request.from),
      )
      if (isAsked && (request.kind === 'permission' || request.kind === 'plan_approval')) return []
      const { id, kind, from, content, openedAt } = request
      return [{ kind: 'request', at: openedAt, team, id, request: kind, from, content }]
    })
    const failed = [...state.tasks.values()].flatMap((task): Need[] =>
      task.status === 'failed'
        ? [{ kind: 'failed_task', at: task.failedAt, team, task: task.id, subject: task.subject, reason: task.reason }]
        : [],
    )
    const unread = [...(state.mailboxes.get('user')?.values() ?? [])].map(({ message }) => message)
    const mail: Need[] =
      unread.length === 0
        ? []
        : [{ kind: 'mail', at: unread[0]!.timestamp, team, count: unread.length, from: unread.at(-1)!.from }]
    return [...requests.sort(byTime), ...failed.sort(byTime), ...mail]
  })
  return [...questions.sort(byTime), ...rest]
}

/** The question about the same action follows: it shows all of it, and only a question can be answered with yes. */
export function precedesQuestion(need: Need): boolean {
  return need.kind === 'request' && need.request === 'permission'
}

function byTime(a: Need, b: Need): number {
  return a.at - b.at
}
