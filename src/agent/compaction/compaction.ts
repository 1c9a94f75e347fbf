import { ModelFailure, type Reply, type ToolOffer, type UserTurn } from '../../models/model.ts'
import { summaryTexts } from '../../prompts/summary.ts'
import type { Agent } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import { askSummary, textOf } from './ask-summary.ts'
import { turnsToKeep } from './cut.ts'
import { cutTurns } from './cut-turns.ts'
import { demotable, demote } from './demote.ts'
import { limitsOf, USUAL_WINDOW } from './limits.ts'
import { prefaceTokens, weigh } from './weigh.ts'

/** Keeps a conversation small enough for its model. */
export interface Compaction {
  /** Called before each model call. True if the history was cut, so that limits and input are checked again. */
  compactIfNeeded(signal: AbortSignal): AsyncGenerator<AgentEvent, boolean>
  /** Cuts user turns that alone do not fit; all of them is kept in a file. How large it was and is, if any was cut. */
  shorten(): Promise<{ readonly before: number; readonly after: number } | undefined>
  /** Now, whatever its size. False if there is nothing to summarise. */
  summarise(why: Why, signal: AbortSignal): AsyncGenerator<AgentEvent, boolean>
}

export interface Why {
  readonly trigger: 'auto' | 'manual' | 'too long'
  readonly focus?: string | undefined
}

export function createCompaction(agent: Agent, tools: () => readonly ToolOffer[]): Compaction {
  const { transcript, memory } = agent
  const { state } = transcript
  const limits = limitsOf(agent)
  const preface = {
    system: agent.system,
    get tools() {
      return tools()
    },
  }
  // A step that did not help is not tried again before the conversation has grown.
  let nextDemotion = limits.demote
  let nextSummary = limits.summarise

  async function* compactIfNeeded(signal: AbortSignal): AsyncGenerator<AgentEvent, boolean> {
    if (weigh(state, preface, limits.demote) <= limits.demote) return false
    let size = weigh(state, preface)
    if (size > nextDemotion) {
      await demoteOldResults()
      const after = weigh(state, preface)
      nextDemotion = Math.max(limits.demote, after + limits.step)
      size = after
    }
    if (size > limits.summarise) size = (await shorten())?.after ?? size
    if (size <= nextSummary) return false
    try {
      return yield* summarise({ trigger: 'auto' }, signal)
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error
      nextSummary = size + limits.step / 2
      yield { type: 'compaction_failed', why: error.message }
      return false
    }
  }

  /** Rarely and in one batch, because each demotion invalidates the provider's cache. */
  async function demoteOldResults(): Promise<void> {
    const candidates = demotable(state.turns)
    if (candidates.reduce((sum, { tokens }) => sum + tokens, 0) < limits.step) return
    await transcript.demote(demote(candidates, memory, state))
  }

  /** For turns of an older version, and for turns that this provider counts as larger than estimated. */
  async function shorten(most = largestTurn()): Promise<{ before: number; after: number } | undefined> {
    const before = weigh(state, preface)
    const cuts = cutTurns(state, most, limits.keep, memory)
    if (!cuts) return undefined
    await transcript.demote(cuts)
    return { before, after: weigh(state, preface) }
  }

  /** Tokens that one turn may have for a request to fit with what stands before it. */
  function largestTurn(): number {
    return Math.max(limits.keep, Math.floor(limits.summarise * 0.9) - prefaceTokens(preface))
  }

  async function* summarise({ trigger, focus }: Why, signal: AbortSignal): AsyncGenerator<AgentEvent, boolean> {
    const { turns } = state
    const isCut = (await shorten(trigger === 'too long' ? limits.keep : undefined)) !== undefined
    const most = Math.floor(limits.summarise / 2)
    const keep = turnsToKeep(turns, { keep: trigger === 'auto' ? limits.keep : 0, most })
    if (keep === undefined) return isCut
    const before = weigh(state, preface)
    const isTooLong = trigger === 'too long' || before > (agent.model.context ?? USUAL_WINDOW)
    agent.used.purse.calls++
    const reply = yield* askSummary({ agent, tools: tools(), turns, limits, focus, isTooLong }, signal)
    agent.recordUsage(reply)
    agent.used.purse.dollars += reply.cost ?? (agent.limits.dollars === undefined ? 0 : Number.POSITIVE_INFINITY)
    await transcript.compact({ turn: summaryTurn(reply, await memory.situation()), keep, before }, reply)
    const after = weigh(state, preface)
    nextDemotion = Math.max(limits.demote, after + limits.step)
    nextSummary = Math.max(limits.summarise, after + limits.step)
    const { usage, cost, model } = reply
    yield { type: 'compacted', trigger: trigger === 'manual' ? 'manual' : 'auto', before, after, usage, cost, model }
    return true
  }

  return { compactIfNeeded, shorten, summarise }
}

/** The summary is a user turn, so that the system prompt never changes. */
function summaryTurn(reply: Reply, situation: string): UserTurn {
  const texts = summaryTexts(textOf(reply), reply.end === 'length', situation)
  return { role: 'user', content: texts.map((text) => ({ type: 'text', text })) }
}
