import { answerWords, type Request, type RequestKind } from '../team/request.ts'
import { beginning } from '../team/wording.ts'

/** Answers to requests that no person or lead answers. */
export const APPROVED_BY_RULE = 'Approved by rule: plans need no answer here.'
export const NO_PERSON_HERE = 'No person can be asked here. Continue without it, or say what you need.'
export const NO_PERSON_ANSWERED = 'No person answered. Continue without it, or say what you need.'

/** Reminds the lead of a request that waits for it. */
export function openRequestText(id: string, kind: string, from: string): string {
  return `Request ${id} of ${from} (${kind}) is still open, and ${from} waits for your answer.`
}

/** The result of a call whose question to a person has no answer: it may be asked again. */
export function unansweredQuestionText(reason: string): string {
  return `Not run: no person has allowed it yet (${reason}). Call it again if it is still needed.`
}

export function personRefusedText(feedback: string): string {
  return `the user said no${feedback === '' ? '.' : `: ${feedback}`}`
}

/** Mail to the lead: a teammate was denied an action where no person can be asked. `rule` says how to allow it. */
export function deniedTeammateText(name: string, action: string, why: string, rule: string | undefined): string {
  const allow = rule === undefined ? 'No rule covers it in this form.' : `The user can allow it: ${rule}.`
  return `${name} was denied to ${action}, because ${why}, and no person can be asked here. ${allow} Do it yourself if you may, let ${name} continue without it, or say in your report what is needed.`
}

/** How a model reads the kind of a request. */
export const REQUEST_KINDS = {
  shutdown: 'shutdown',
  plan_approval: 'plan approval',
  permission: 'permission',
  budget: 'budget',
}

/** The requests that wait for the answer of the reader. */
export function waitingRequestsText(kind: RequestKind, open: readonly Request[]): string {
  if (open.length === 0) return `No ${REQUEST_KINDS[kind]} request waits for your answer.`
  const each = open.map(({ id, from, content }) => `${id} from ${from} (${beginning(oneLine(content), 60)})`)
  return `These wait for your answer: ${each.join(', ')}.`
}

/** The state of a request, for the member that sent it. */
export function requestStateText(request: Request): string {
  const head = `Request ${request.id} (${REQUEST_KINDS[request.kind]}, to ${request.to}): ${request.state}`
  switch (request.state) {
    case 'pending':
      return `${head}. You are told when it is answered.`
    case 'approved':
    case 'rejected': {
      const words = answerWords(request, request)
      return `${head} by ${request.by}${words === '' ? '' : `: ${words}`}.`
    }
    case 'timed_out':
    case 'void':
      return `${head}: ${request.reason}.`
    default:
      return request satisfies never
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Why a person is asked before the first teammates are started. */
export function firstSpawnText(teammates: readonly { readonly name: string; readonly role?: string }[]): string {
  const names = teammates.map(({ name, role }) => (role === undefined ? name : `${name} (${role})`))
  return `the user confirms the first teammates of a session: ${names.join(', ')}`
}

export const FIRST_SPAWN_ADVICE =
  'Do the work without teammates. The user can allow them: start the session on a terminal, or remove team.confirmFirstSpawn from the settings.'
