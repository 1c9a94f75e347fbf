import { ModelFailure, type ModelRequest, type Reply, type Turn, type UserTurn } from '../../models/model.ts'
import { historyText, summaryQuestion } from '../../prompts/summary.ts'
import type { Agent } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import { flatten } from './flatten.ts'
import type { RoomLimits } from './limits.ts'

export interface SummaryWish {
  readonly agent: Agent
  readonly tools: ModelRequest['tools']
  readonly turns: readonly Turn[]
  readonly limits: RoomLimits
  /** What the user wants to have kept above all. */
  readonly focus?: string | undefined
  /** The provider has just refused the history as it is. */
  readonly isTooLong: boolean
}

/**
 * The model's own summary. It is asked with the same system prompt, tools and turns as ever, and one question behind
 * them, so that everything before it is read from the provider's cache. What does not fit is told in short instead.
 */
export async function* askSummary(wish: SummaryWish, signal: AbortSignal): AsyncGenerator<AgentEvent, Reply> {
  const { turns, limits } = wish
  if (!wish.isTooLong) {
    try {
      return yield* ask(wish, asked(turns, wish.focus), signal)
    } catch (error) {
      if (!(error instanceof ModelFailure) || error.fault !== 'too long') throw error
    }
  }
  // Three characters a token, of half of what fits: estimates err.
  const history = flatten(turns, Math.floor(limits.summarise * 1.5))
  const told: UserTurn = { role: 'user', content: [{ type: 'text', text: historyText(history) }] }
  return yield* ask(wish, asked([told], wish.focus), signal)
}

async function* ask(
  { agent: { name, system, model, maxOutput }, tools }: SummaryWish,
  turns: readonly Turn[],
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Reply> {
  const answer = model.reply({ agent: name, system, turns, tools, maxOutput }, signal)
  let step = await answer.next()
  for (; !step.done; step = await answer.next())
    // Its words are no words of the conversation; that it waits is worth knowing.
    if (step.value.type === 'waiting' || step.value.type === 'fallback') yield step.value
  const reply = step.value
  if (textOf(reply) === '')
    throw new ModelFailure({ model: reply.model, fault: 'empty' }, `${reply.model} answered without a summary.`)
  return reply
}

export function textOf({ turn }: Reply): string {
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
