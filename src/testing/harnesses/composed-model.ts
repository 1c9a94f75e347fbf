import type { Model, ModelRequest } from '../../models/model.ts'
import type { Compose, Script } from '../../models/scripted/script.ts'
import { scriptedModel } from '../../models/scripted/scripted-model.ts'

export type { Compose } from '../../models/scripted/script.ts'
/** What a composed model answers with: text, tool calls, usage, or an error. */
export type ComposedAnswer = Awaited<ReturnType<Compose>>

/** A scripted model that answers every request by a function, and keeps the requests as they were. */
export function composedModel(
  compose: Compose,
  { name = 'scripted', ...script }: Omit<Script, 'parts'> & { readonly name?: string } = {},
): { readonly model: Model; readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  const answer: Compose = async (request, signal) => {
    requests.push({ ...request, turns: structuredClone([...request.turns]) })
    // One piece of text for each answer, so that tests see one event.
    return { chunk: 1_000_000, usage: { input: 10, output: 5 }, ...(await compose(request, signal)) }
  }
  return { model: scriptedModel({ ...script, parts: [{ times: 'always', compose: answer }] }, { name }), requests }
}

/** A model that does not answer until it is aborted. */
export const neverAnswers: Compose = (_, signal) => untilAborted(signal)

/** Never resolves; rejects with the reason of the signal when that aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
