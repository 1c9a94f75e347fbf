import { type Model, type ModelEvent, ModelFailure, type ModelFault, type ModelRequest, type Reply } from './model.ts'
import type { Admission } from './rate-limits/account-queue.ts'
import { type ModelServices, systemServices } from './services.ts'

/**
 * One model out of a chain: each is called again while a retry can help and nothing of an answer was shown, then the next
 * one is called. When none is left, the last failure is thrown.
 */
export function withRetries(models: readonly [Model, ...Model[]], services: ModelServices = systemServices): Model {
  const { name, provider, account, context, price, acceptsImages } = models[0]
  return {
    name,
    provider,
    account,
    context,
    price,
    acceptsImages,
    reply:
      models.length === 1 ? (request, signal) => callWithRetries(models[0], request, services, signal) : callInOrder,
  }

  async function* callInOrder(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, Reply> {
    for (const [at, model] of models.entries()) {
      try {
        return yield* callWithRetries(model, request, services, signal)
      } catch (error) {
        const next = models[at + 1]
        if (!(error instanceof ModelFailure) || error.emitted || !next || isIndependentOfModel(error.fault)) throw error
        yield { type: 'fallback', from: model.name, to: next.name, why: error.message }
      }
    }
    throw new Error('withRetries needs at least one model.')
  }
}

/** Another model would fail too: the conversation has to be compacted, or the script changed. */
function isIndependentOfModel(fault: ModelFault): boolean {
  return fault === 'too long' || fault === 'script'
}

/** How often one model is called at most. A fault that is not listed is not retried. */
const MAX_TRIES: Partial<Record<ModelFault, number>> = {
  'rate limit': 12,
  overloaded: 6,
  server: 6,
  network: 6,
  'time-out': 3,
  'cut off': 4,
  unreadable: 3,
  empty: 3,
}

/** When a provider asks for a longer wait than this, the call fails. */
const MAX_WAIT_SECONDS = 300
/** The longest wait between two tries when the provider does not say how long. */
const MAX_BACKOFF_SECONDS = 60

async function* callWithRetries(
  model: Model,
  request: ModelRequest,
  services: ModelServices,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, Reply> {
  for (let tried = 1; ; tried++) {
    const admitted = services.rateLimiter.admit(model, request, signal)
    const admission = 'release' in admitted ? admitted : yield* admitted
    let seconds: number | undefined
    let failure: ModelFailure
    try {
      return yield* callOnce(model, request, admission, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelFailure)) throw error
      failure = error
      seconds = waitAfter(failure, tried, services.random)
      if (failure.fault === 'rate limit') admission.refused(seconds ?? 0)
    } finally {
      admission.release()
    }
    if (seconds === undefined) throw tried === 1 ? failure : withTries(failure, tried)
    // After a refusal the whole account waits in the rate limiter, which reports that.
    if (failure.fault === 'rate limit') continue
    const retry = { tried, of: MAX_TRIES[failure.fault] ?? 1, givesUpIn: longestWait(failure.fault, tried) }
    yield { type: 'waiting', provider: model.provider, seconds, why: failure.message, retry }
    await services.pause(seconds, signal)
  }
}

async function* callOnce(
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
        admission.updateLimits(event.limits)
        continue
      }
      if (event.type === 'text' || event.type === 'reasoning' || event.type === 'tool_call') isShown = true
      yield event
    }
  } catch (error) {
    throw isShown && error instanceof ModelFailure && !error.emitted ? asEmitted(error) : error
  } finally {
    await answer.return(undefined as never)
  }
}

/** Seconds until the next try; undefined if there is none. */
function waitAfter(failure: ModelFailure, tried: number, random: () => number): number | undefined {
  if (failure.emitted) return undefined
  if (tried >= (MAX_TRIES[failure.fault] ?? 1)) return undefined
  const { retryAfter } = failure
  if (retryAfter !== undefined)
    // Never earlier than the provider asks, and spread so that agents do not all call at the same moment.
    return retryAfter > MAX_WAIT_SECONDS ? undefined : retryAfter * (1 + random() / 10)
  return backoff(tried) * (0.5 + random() / 2)
}

function backoff(tried: number): number {
  return Math.min(MAX_BACKOFF_SECONDS, 2 ** (tried - 1))
}

/** The most seconds that are spent waiting from this try to the last. */
function longestWait(fault: ModelFault, tried: number): number {
  let seconds = 0
  for (let at = tried; at < (MAX_TRIES[fault] ?? 1); at++) seconds += backoff(at)
  return seconds
}

function withTries(failure: ModelFailure, tried: number): ModelFailure {
  return new ModelFailure({ ...detailsOf(failure), cause: failure.cause }, `${failure.message} (Tried ${tried} times.)`)
}

function asEmitted(failure: ModelFailure): ModelFailure {
  return new ModelFailure({ ...detailsOf(failure), emitted: true, cause: failure.cause }, failure.message)
}

function detailsOf({ model, fault, emitted, retryAfter }: ModelFailure) {
  return { model, fault, emitted, retryAfter }
}
