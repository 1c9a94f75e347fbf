import { ModelFailure, type ModelRequest, type Reply, type Turn, type UserTurn } from '../../models/model.ts'
import { historyText, summaryQuestion } from '../../prompts/summary.ts'
import type { Agent } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import { flatten } from './flatten.ts'
import type { CompactionLimits } from './limits.ts'

export interface SummaryRequest {
  readonly agent: Agent
  readonly tools: ModelRequest['tools']
  readonly turns: readonly Turn[]
  readonly limits: CompactionLimits
  /** What the user wants the summary to keep. */
  readonly focus?: string | undefined
  /** The provider has just refused the history as it is. */
  readonly isTooLong: boolean
}

/**
 * The model's own summary. The request has the same system prompt, tools and turns as every other, and one question at
 * the end, so that the provider's cache serves everything before it. A history that does not fit is shortened first.
 */
export async function* askSummary(request: SummaryRequest, signal: AbortSignal): AsyncGenerator<AgentEvent, Reply> {
  const { turns, limits } = request
  if (!request.isTooLong) {
    try {
      return yield* ask(request, asked(turns, request.focus), signal)
    } catch (error) {
      if (!(error instanceof ModelFailure) || error.fault !== 'too long') throw error
    }
  }
  // Three characters a token, for half of what fits: estimates are inexact.
  const history = flatten(turns, Math.floor(limits.summarise * 1.5))
  const short: UserTurn = { role: 'user', content: [{ type: 'text', text: historyText(history) }] }
  return yield* ask(request, asked([short], request.focus), signal)
}

async function* ask(
  { agent: { name, system, model, maxOutput }, tools }: SummaryRequest,
  turns: readonly Turn[],
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Reply> {
  const answer = model.reply({ agent: name, system, turns, tools, maxOutput }, signal)
  let step = await answer.next()
  for (; !step.done; step = await answer.next())
    // The text of the summary is not shown as part of the conversation.
    if (step.value.type === 'waiting' || step.value.type === 'fallback') yield step.value
  const reply = step.value
  if (textOf(reply) === '')
    throw new ModelFailure({ model: reply.model, fault: 'empty' }, `${reply.model} answered without a summary.`)
  return reply
}

export function textOf({ turn }: Pick<Reply, 'turn'>): string {
  return turn.content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('')
    .trim()
}

function asked(turns: readonly Turn[], focus: string | undefined): Turn[] {
  const question = { type: 'text' as const, text: summaryQuestion(focus) }
  const last = turns.at(-1)
  if (last?.role === 'user') return [...turns.slice(0, -1), { ...last, content: [...last.content, question] }]
  return [...turns, { role: 'user', content: [question] }]
}
