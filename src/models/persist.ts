import type { Admission } from './governor.ts'
import { type Model, type ModelEvent, ModelFailure, type ModelFault, type ModelRequest, type Reply } from './model.ts'
import { type ModelWorld, systemWorld } from './world.ts'

/**
 * One model out of a chain of them: each is asked again while trying again can help and nothing of an answer was shown,
 * then the next is asked, and when none is left the last failure is thrown.
 */
export function persist(models: readonly [Model, ...Model[]], world: ModelWorld = systemWorld): Model {
  const { name, provider, account, context, price } = models[0]
  return {
    name,
    provider,
    account,
    context,
    price,
    reply: models.length === 1 ? (request, signal) => insist(models[0], request, world, signal) : inTurn,
  }

  async function* inTurn(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, Reply> {
    for (const [at, model] of models.entries()) {
      try {
        return yield* insist(model, request, world, signal)
      } catch (error) {
        const next = models[at + 1]
        if (!(error instanceof ModelFailure) || error.emitted || !next || isOurs(error.fault)) throw error
        yield { type: 'fallback', from: model.name, to: next.name, why: error.message }
      }
    }
    throw new Error('A chain of models has at least one.')
  }
}

/** No other model would do better: the conversation has to be compacted, or the script changed. */
function isOurs(fault: ModelFault): boolean {
  return fault === 'too long' || fault === 'script'
}

/** How often one model is asked at most. What is not here is not worth a second try. */
const tries: Partial<Record<ModelFault, number>> = {
  'rate limit': 12,
  overloaded: 6,
  server: 6,
  network: 6,
  'time-out': 3,
  'cut off': 4,
  unreadable: 3,
  empty: 3,
}

/** A provider that wants to be left alone for longer than this is not waited for. */
const LONGEST_WAIT = 300

async function* insist(
  model: Model,
  request: ModelRequest,
  world: ModelWorld,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, Reply> {
  for (let tried = 1; ; tried++) {
    const admitted = world.governor.admit(model, request, signal)
    const admission = 'leave' in admitted ? admitted : yield* admitted
    let seconds: number | undefined
    let failure: ModelFailure
    try {
      return yield* ask(model, request, admission, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelFailure)) throw error
      failure = error
      seconds = waitAfter(failure, tried, world.random)
      if (failure.fault === 'rate limit') admission.refused(seconds ?? 0)
    } finally {
      admission.leave()
    }
    if (seconds === undefined) throw tried === 1 ? failure : afterAll(failure, tried)
    // After a refusal the whole account waits, and the governor says so.
    if (failure.fault === 'rate limit') continue
    const retry = { tried, of: tries[failure.fault] ?? 1, givesUpIn: longestWait(failure.fault, tried) }
    yield { type: 'waiting', provider: model.provider, seconds, why: failure.message, retry }
    await world.pause(seconds, signal)
  }
}

async function* ask(
  model: Model,
  request: ModelRequest,
  admission: Admission,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, Reply> {
  const answer = model.reply(request, signal)
  let isShown = false
  try {
    while (true) {
      const step = await answer.next()
      if (step.done) {
        admission.succeeded(step.value.usage)
        return step.value
      }
      const event = step.value
      if (event.type === 'limits') {
        admission.heed(event.limits)
        continue
      }
      if (event.type === 'text' || event.type === 'reasoning' || event.type === 'tool_call') isShown = true
      yield event
    }
  } catch (error) {
    throw isShown && error instanceof ModelFailure && !error.emitted ? emitted(error) : error
  } finally {
    await answer.return(undefined as never)
  }
}

/** Seconds until the next try; undefined: there is none. */
function waitAfter(failure: ModelFailure, tried: number, random: () => number): number | undefined {
  if (failure.emitted) return undefined
  if (tried >= (tries[failure.fault] ?? 1)) return undefined
  const { retryAfter } = failure
  if (retryAfter !== undefined)
    // Never earlier than asked, and not all at the same moment.
    return retryAfter > LONGEST_WAIT ? undefined : retryAfter * (1 + random() / 10)
  return Math.min(60, 2 ** (tried - 1)) * (0.5 + random() / 2)
}

/** Seconds of waiting at most from this try to the last. */
function longestWait(fault: ModelFault, tried: number): number {
  let seconds = 0
  for (let at = tried; at < (tries[fault] ?? 1); at++) seconds += Math.min(60, 2 ** (at - 1))
  return seconds
}

function afterAll(failure: ModelFailure, tried: number): ModelFailure {
  return new ModelFailure({ ...aboutOf(failure), cause: failure.cause }, `${failure.message} (Tried ${tried} times.)`)
}

function emitted(failure: ModelFailure): ModelFailure {
  return new ModelFailure({ ...aboutOf(failure), emitted: true, cause: failure.cause }, failure.message)
}

function aboutOf({ model, fault, emitted, retryAfter }: ModelFailure) {
  return { model, fault, emitted, retryAfter }
}
