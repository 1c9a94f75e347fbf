import type { PermissionOption, RequestPermissionOutcome, RequestPermissionRequest } from '@agentclientprotocol/sdk'
import type { QuestionAnswer } from '../../session/control/session-control.ts'
import type { OpenQuestion } from '../../view/view.ts'
import { metaOf, shownCall, textContent } from './tool-call.ts'

/** The question with all it asks about; an answer for the whole session is offered where a rule can hold it. */
export function permissionRequest(question: OpenQuestion, sessionId: string, cwd: string): RequestPermissionRequest {
  return { sessionId, toolCall: askedCall(question, cwd), options: optionsOf(question) }
}

export function answerOf(outcome: RequestPermissionOutcome): QuestionAnswer {
  if (outcome.outcome === 'cancelled') return { allowed: false, why: 'The user cancelled the turn.' }
  if (outcome.optionId === ALWAYS) return { allowed: true, always: true }
  return outcome.optionId === ONCE ? { allowed: true } : { allowed: false }
}

const ONCE = 'allow_once'
const ALWAYS = 'allow_always'
const DENY = 'reject_once'

function askedCall(question: OpenQuestion, cwd: string): RequestPermissionRequest['toolCall'] {
  const { agent, about } = question
  if (about.kind === 'plan') {
    const content = [textContent(about.plan)]
    const title = `${agent} asks for approval of its plan`
    return { toolCallId: question.id, title, status: 'pending', content, _meta: metaOf(agent) }
  }
  const { tool: name, input, why, tool_use_id: id = question.id } = about
  const shown = shownCall({ agent, id, name, input }, cwd)
  return { ...shown, status: 'pending', content: [...(shown.content ?? []), textContent(why)] }
}

function optionsOf({ about }: OpenQuestion): PermissionOption[] {
  if (about.kind === 'plan')
    return [
      { optionId: ONCE, kind: 'allow_once', name: 'Approve' },
      { optionId: DENY, kind: 'reject_once', name: 'Reject' },
    ]
  const always = `Allow in this session: ${about.rules.join(', ')}`
  return [
    { optionId: ONCE, kind: 'allow_once', name: 'Allow once' },
    ...(about.rules.length > 0 ? [{ optionId: ALWAYS, kind: 'allow_always' as const, name: always }] : []),
    { optionId: DENY, kind: 'reject_once', name: 'Deny' },
  ]
}
