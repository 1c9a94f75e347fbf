import { type Clock, systemClock } from '../../journal/clock.ts'
import type { Usage } from '../../team/members/usage.ts'
import {
  type Model,
  type ModelEvent,
  ModelFailure,
  type ModelRequest,
  type Price,
  type Reply,
  type ReplyEnd,
  type Turn,
} from '../model.ts'
import { costOf } from '../prices.ts'
import { readRateLimits } from '../rate-limits/rate-limit-headers.ts'
import { hasImages, type ImageSupport } from './images.ts'
import type { CallOptions, LanguageModel, StreamPart } from './language-model.ts'
import { promptOf, toolsOf } from './prompt.ts'
import { toModelFailure } from './provider-failure.ts'
import { createTurnAssembly, type TurnAssembly } from './turn-assembly.ts'

type ProviderOptions = NonNullable<Turn['providerOptions']>

export interface ModelOptions {
  /** As the user named it; by default `provider/model` of the object. */
  readonly name?: string
  readonly provider?: string
  readonly account?: string
  readonly context?: number
  readonly price?: Price
  /** US dollars of one call; by default computed from `price`, and unknown without one. */
  readonly cost?: (usage: Usage) => number | null
  /** Used where the request has none: providers differ in what they do without a limit. */
  readonly maxOutput?: number
  /** Passed to the provider package with every call, by its name: `{ anthropic: { thinking: … } }`. */
  readonly options?: ProviderOptions
  /** Mark where anthropic may cache. */
  readonly hasBreakpoints?: boolean
  /** Where the model can be given images; by default everywhere. */
  readonly images?: ImageSupport
  readonly clock?: Clock
  /** The key, and other values that no failure message may show. */
  readonly secrets?: readonly string[]
  /** The variables of the key and of the proxy, for failure messages. */
  readonly keyVariable?: string | undefined
  readonly proxyVariable?: string | undefined
}

const DEFAULT_MAX_OUTPUT_TOKENS = 8000

/** Wraps a model object of an AI SDK provider package. It makes one call per reply; `withRetries` adds retries. */
export function modelFrom(languageModel: LanguageModel, options: ModelOptions = {}): Model {
  const { clock = systemClock, price } = options
  const provider = options.provider ?? languageModel.provider.split('.')[0]!
  const name = options.name ?? `${provider}/${languageModel.modelId}`
  const cost = options.cost ?? ((usage: Usage) => (price === undefined ? null : costOf(usage, price)))
  const form = {
    version: languageModel.specificationVersion,
    hasBreakpoints: options.hasBreakpoints ?? false,
    images: options.images ?? 'everywhere',
  }
  // Of the four breakpoints that a request may have, one is left to a user who sets the provider's own.
  const areToolsMarked = form.hasBreakpoints && options.options?.anthropic?.cacheControl === undefined

  return {
    name,
    provider,
    account: options.account ?? provider,
    context: options.context,
    price,
    acceptsImages: form.images !== 'nowhere',
    async *reply(request, signal): AsyncGenerator<ModelEvent, Reply> {
      signal.throwIfAborted()
      const progress: Progress = {
        emitted: false,
        finish: undefined,
        assembly: createTurnAssembly(),
        isEventStream: true,
      }
      let reader: ReadableStreamDefaultReader<{ type: string }> | undefined
      try {
        const result = await languageModel.doStream(callOptions(request, signal) as never)
        reader = result.stream.getReader()
        const headers = result.response?.headers ?? {}
        const limits = readRateLimits(headers, clock.now())
        if (limits.length > 0) yield { type: 'limits', limits }
        progress.isEventStream = /event-stream/.test(headers['content-type'] ?? 'event-stream')
        const begun = new Set<string>()
        for (let step = await reader.read(); !step.done; step = await reader.read()) {
          const event = addPart(step.value as StreamPart, progress, begun)
          if (event !== undefined) yield event
        }
        return replyOf(progress)
      } catch (error) {
        signal.throwIfAborted()
        const { emitted } = progress
        const { secrets, keyVariable, proxyVariable } = options
        const about = { model: name, emitted, now: clock.now(), secrets, keyVariable, proxyVariable }
        const failure = withImageAdvice(toModelFailure(error, about), request)
        throw failure.fault === 'cut off' && !progress.isEventStream ? notEventStream(failure) : failure
      } finally {
        reader?.cancel().catch(() => {})
      }
    },
  }

  function callOptions(request: ModelRequest, signal: AbortSignal): CallOptions {
    return {
      prompt: promptOf(request, form),
      maxOutputTokens: request.maxOutput ?? options.maxOutput ?? DEFAULT_MAX_OUTPUT_TOKENS,
      ...(request.tools.length > 0 && { tools: toolsOf(request.tools, areToolsMarked), toolChoice: { type: 'auto' } }),
      ...(options.options && { providerOptions: options.options }),
      abortSignal: signal,
    }
  }

  function replyOf({ finish, assembly, emitted }: Progress): Reply {
    const failed = (fault: ModelFailure['fault'], text: string) =>
      new ModelFailure({ model: name, fault, emitted }, `${name}: ${text}`)
    if (!finish || isCutOff(finish))
      throw failed('cut off', 'The answer ended before it was complete and was discarded. Retry.')
    if (finish.finishReason.unified === 'error')
      throw failed(
        'server',
        `The provider ended the answer with an error (${finish.finishReason.raw ?? 'no reason given'}). Retry.`,
      )
    const end = ends[finish.finishReason.unified] ?? 'finished'
    if (assembly.isEmpty) throw emptyAnswer(end, failed)
    const usage = usageOf(finish.usage)
    const isCounted = finish.usage.inputTokens.total !== undefined || finish.usage.outputTokens.total !== undefined
    return { turn: assembly.turn(), end, usage, cost: isCounted ? cost(usage) : null, model: name }
  }
}

type Finish = Extract<StreamPart, { type: 'finish' }>

interface Progress {
  emitted: boolean
  finish: Finish | undefined
  isEventStream: boolean
  readonly assembly: TurnAssembly
}

/** Adds a part to the answer and returns the event to show for it. */
function addPart(part: StreamPart, progress: Progress, begun: Set<string>): ModelEvent | undefined {
  if (part.type === 'error') throw part.error
  if (part.type === 'finish') progress.finish = part
  progress.assembly.add(part)
  const event = eventOf(part, begun)
  if (event !== undefined) progress.emitted = true
  return event
}

function eventOf(part: StreamPart, begun: Set<string>): ModelEvent | undefined {
  switch (part.type) {
    case 'text-delta':
      return part.delta === '' ? undefined : { type: 'text', delta: part.delta }
    case 'reasoning-delta':
      return part.delta === '' ? undefined : { type: 'reasoning', delta: part.delta }
    case 'tool-input-start':
      begun.add(part.id)
      return { type: 'tool_call', tool: part.toolName }
    case 'tool-call':
      return begun.has(part.toolCallId) ? undefined : { type: 'tool_call', tool: part.toolName }
    default:
      return undefined
  }
}

/** Most packages report a stream that was cut off as finished, only without a reason from the provider. */
function isCutOff({ finishReason: { unified, raw } }: Finish): boolean {
  return (unified as string) === 'interrupted' || (unified === 'other' && raw === undefined)
}

/** A provider that refuses an image refuses every later request of the conversation too. */
function withImageAdvice(failure: ModelFailure, { turns }: ModelRequest): ModelFailure {
  const { model, fault, emitted } = failure
  if (fault !== 'request' || !/image|vision|multi-?modal|modalit/i.test(failure.message) || !turns.some(hasImages))
    return failure
  const advice = `If the model accepts no images, set models."${model}".images to false in the settings: it then gets a line of text in place of each. Or use another model (-m).`
  return new ModelFailure({ model, fault, emitted, cause: failure }, `${failure.message} ${advice}`)
}

/** For example a web page, of a proxy that requires a login or of another kind of server. */
function notEventStream(cause: ModelFailure): ModelFailure {
  const text = `${cause.model}: The response is not an event stream. Check the base URL and the kind of provider.`
  return new ModelFailure({ model: cause.model, fault: 'unreadable', cause }, text)
}

const ends: Partial<Record<Finish['finishReason']['unified'], ReplyEnd>> = {
  length: 'length',
  'content-filter': 'refused',
}

function emptyAnswer(
  end: ReplyEnd,
  failed: (fault: ModelFailure['fault'], text: string) => ModelFailure,
): ModelFailure {
  if (end === 'refused')
    return failed('refused', "The provider's filter removed the whole answer. Rephrase the prompt.")
  if (end === 'length')
    return failed(
      'empty',
      'The output limit was used up by reasoning, before any text. Raise maxOutput in the settings.',
    )
  return failed('empty', 'The answer has neither text nor a tool call. Retry, or use another model.')
}

function usageOf({ inputTokens: asked, outputTokens }: Finish['usage']): Usage {
  const cacheRead = count(asked.cacheRead)
  const cacheWrite = count(asked.cacheWrite)
  const input = asked.noCache ?? (asked.total ?? 0) - cacheRead - cacheWrite
  return { input: count(input), cacheRead, cacheWrite, output: count(outputTokens.total) }
}

function count(tokens: number | undefined): number {
  return Number.isFinite(tokens) ? Math.max(0, Math.round(tokens!)) : 0
}
