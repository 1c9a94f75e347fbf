import { turnOnly } from '../journal/replay/order.ts'
import { ModelFailure, type Reply } from '../models/model.ts'
import { offer } from '../tools/run-call.ts'
import { isAborted } from './aborted.ts'
import { type Agent, limitReached } from './agent.ts'
import type { AgentEvent, Stop } from './agent-event.ts'
import { createRepeatedFailures } from './calls/repeated-failures.ts'
import { runCalls } from './calls/run-calls.ts'
import { createCompaction } from './compaction/compaction.ts'
import { type PendingAcknowledgement, receiveInput } from './input/receive-input.ts'
import { awaitsAnswer } from './transcript/transcript-fold.ts'

/**
 * The loop every agent runs: receive input, call the model, run its tool calls, until it has nothing more to do. Each
 * step is in the transcript before anything but a model call follows from it, so the process can be killed anywhere and
 * the agent continues. Its last text may not be durable yet: a caller that passes it on waits for that.
 */
export async function* runLoop(agent: Agent, signal: AbortSignal): AsyncGenerator<AgentEvent, Stop> {
  const stop = yield* runToStop(agent, signal)
  // After an answer nothing is left to be written.
  if (stop.kind === 'finished') return stop
  try {
    await agent.transcript.synced()
    return stop
  } catch (error) {
    return stop.kind === 'error' ? stop : failed(error, stop.text)
  }
}

async function* runToStop(agent: Agent, signal: AbortSignal): AsyncGenerator<AgentEvent, Stop> {
  const { transcript, used } = agent
  const { turns } = transcript.state
  const compaction = createCompaction(agent, () => offer(agent.tools))
  const failures = createRepeatedFailures((blocker) => agent.reportBlocker?.(blocker))
  let isShortened = false
  let text = ''
  const owed: PendingAcknowledgement = { acknowledged: Promise.resolve() }
  try {
    for (;;) {
      if (!agent.order) signal.throwIfAborted()
      yield* receiveInput(agent, owed, signal)
      if (!awaitsAnswer(transcript.state)) return { kind: 'finished', text }
      if (limitReached(agent.limits, used)) return stopAtLimit(agent, text)
      if (agent.toolsReady) await agent.toolsReady(signal)
      if (yield* compaction.compactIfNeeded(signal)) continue
      if (agent.order) await agent.order.step(`${agent.name} asks`, turnOnly)
      // Again, since other agents of the run called meanwhile: nothing is awaited between this and the count.
      if (limitReached(agent.limits, used)) return stopAtLimit(agent, text)

      const { name, system, maxOutput } = agent
      const tools = offer(agent.tools)
      used.purse.calls++
      let reply: Reply
      try {
        reply = yield* agent.model.reply(
          { agent: name, system, turns, tools, maxOutput, urgency: agent.urgency?.() },
          signal,
        )
      } catch (error) {
        if (!isTooLong(error)) throw error
        const isShorter = !isShortened && (yield* compaction.summarise({ trigger: 'too long' }, signal))
        if (!isShorter) throw doesNotFit(error)
        isShortened = true
        used.purse.calls--
        continue
      }
      isShortened = false
      text = textOf(reply)
      await transcript.answer(reply)
      agent.recordUsage(reply)
      // A call of unknown cost may have used up the whole budget.
      used.purse.dollars += reply.cost ?? (agent.limits.dollars === undefined ? 0 : Number.POSITIVE_INFINITY)
      yield { type: 'answered', reply }

      yield* runCalls(agent, signal, failures)
      const why = failures.endAnswer()
      if (why !== undefined) return { kind: 'limit', limit: 'failures', text, why }
      if (reply.end === 'refused') return refused(reply, text)
      if (reply.end === 'length' && turns.at(-1)?.role === 'assistant') return { kind: 'limit', limit: 'output', text }
    }
  } catch (error) {
    if (isAborted(error, signal)) return { kind: 'aborted', text }
    return failed(error, text)
  } finally {
    // The next write to the journal throws what went wrong with it.
    await owed.acknowledged.catch(() => {})
  }
}

/** A limit of the run lets no agent make another model call. */
export function stopAtLimit({ limits, used }: Agent, text: string): Stop {
  if (limitReached(limits, used) === 'turns') return { kind: 'limit', limit: 'turns', text }
  return { kind: 'budget', spent: used.purse.dollars, text }
}

function failed(error: unknown, text: string): Stop {
  return { kind: 'error', error: error instanceof Error ? error : new Error(String(error)), text }
}

/** Nothing of an answer was shown, so it may be asked again. */
function isTooLong(error: unknown): error is ModelFailure {
  return error instanceof ModelFailure && error.fault === 'too long' && !error.emitted
}

function doesNotFit(cause: ModelFailure): ModelFailure {
  const text = `The conversation does not fit into ${cause.model}, even as short as it can be made (${cause.message}) Use a model with a larger window (-m), or set its size in the settings (models."${cause.model}".context); or start a new session with a shorter prompt.`
  return new ModelFailure({ model: cause.model, fault: 'too long', cause }, text)
}

function textOf({ turn }: Reply): string {
  return turn.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

function refused({ model }: Reply, text: string): Stop {
  return { kind: 'error', error: new Error(`${model} refused to answer. Ask for it in another way.`), text }
}
