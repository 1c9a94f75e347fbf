import { type Clock, systemClock } from '../../journal/clock.ts'
import type { Usage } from '../../team/usage.ts'
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
import type { CallOptions, LanguageModel, StreamPart } from './language-model.ts'
import { promptOf, toolsOf } from './prompt.ts'
import { toModelFailure } from './provider-failure.ts'
import { type Assembly, createAssembly } from './turn-assembly.ts'

type ProviderOptions = NonNullable<Turn['providerOptions']>

export interface ModelOptions {
  /** As the user named it; else `provider/model` of the object. */
  readonly name?: string
  readonly provider?: string
  readonly account?: string
  readonly context?: number
  readonly price?: Price
  /** US dollars for one call; else worked out from `price`, and unknown without one. */
  readonly cost?: (usage: Usage) => number | null
  /** Used where the request names none: providers differ in what they do without a limit. */
  readonly maxOutput?: number
  /** Handed to the provider package with every call, by its name: `{ anthropic: { thinking: … } }`. */
  readonly options?: ProviderOptions
  /** Mark where anthropic may cache. */
  readonly hasBreakpoints?: boolean
  readonly clock?: Clock
  /** The key, and whatever else no message of a failure may show. */
  readonly secrets?: readonly string[]
  /** The variables that hold the key and name the proxy, to say which to check. */
  readonly keyVariable?: string | undefined
  readonly proxyVariable?: string | undefined
}

const MAX_OUTPUT = 8000

/** Any model object of an AI SDK provider package, as one of ours. It asks once; `persist` tries again. */
export function modelFrom(languageModel: LanguageModel, options: ModelOptions = {}): Model {
  const { clock = systemClock, price } = options
  const provider = options.provider ?? languageModel.provider.split('.')[0]!
  const name = options.name ?? `${provider}/${languageModel.modelId}`
  const cost = options.cost ?? ((usage: Usage) => (price === undefined ? null : costOf(usage, price)))
  const form = { version: languageModel.specificationVersion, hasBreakpoints: options.hasBreakpoints ?? false }

  return {
    name,
    provider,
    account: options.account ?? provider,
    context: options.context,
    price,
    async *reply(request, signal): AsyncGenerator<ModelEvent, Reply> {
      signal.throwIfAborted()
      const progress: Progress = { emitted: false, finish: undefined, assembly: createAssembly(), isEventStream: true }
      let reader: ReadableStreamDefaultReader<{ type: string }> | undefined
      try {
        const asked = callOptions(request, signal)
        const result = await languageModel.doStream(asked as never)
        reader = result.stream.getReader()
        const headers = result.response?.headers ?? {}
        const limits = readRateLimits(headers, clock.now())
        if (limits.length > 0) yield { type: 'limits', limits }
        progress.isEventStream = /event-stream/.test(headers['content-type'] ?? 'event-stream')
        const begun = new Set<string>()
        // Here and not in a generator of its own: each of those makes every event wait again.
        for (let step = await reader.read(); !step.done; step = await reader.read()) {
          const event = take(step.value as StreamPart, progress, begun)
          if (event !== undefined) yield event
        }
        return replyOf(progress)
      } catch (error) {
        signal.throwIfAborted()
        const { emitted } = progress
        const { secrets, keyVariable, proxyVariable } = options
        const about = { model: name, emitted, now: clock.now(), secrets, keyVariable, proxyVariable }
        const failure = toModelFailure(error, about)
        throw failure.fault === 'cut off' && !progress.isEventStream ? noEvents(failure) : failure
      } finally {
        reader?.cancel().catch(() => {})
      }
    },
  }

  function callOptions(request: ModelRequest, signal: AbortSignal): CallOptions {
    return {
      prompt: promptOf(request, form),
      maxOutputTokens: request.maxOutput ?? options.maxOutput ?? MAX_OUTPUT,
      ...(request.tools.length > 0 && { tools: toolsOf(request.tools), toolChoice: { type: 'auto' } }),
      ...(options.options && { providerOptions: options.options }),
      abortSignal: signal,
    }
  }

  function replyOf({ finish, assembly, emitted }: Progress): Reply {
    const failed = (fault: ModelFailure['fault'], text: string) =>
      new ModelFailure({ model: name, fault, emitted }, `${name}: ${text}`)
    if (!finish || isCutOff(finish))
      throw failed('cut off', 'The answer ended before it was complete, and was not kept. Try again.')
    if (finish.finishReason.unified === 'error')
      throw failed('server', `The provider broke the answer off (${finish.finishReason.raw ?? 'no reason given'}).`)
    const end = ends[finish.finishReason.unified] ?? 'finished'
    if (assembly.isEmpty) throw emptiness(end, failed)
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
  readonly assembly: Assembly
}

/** What a part adds to the answer, and what is shown of it. */
function take(part: StreamPart, progress: Progress, begun: Set<string>): ModelEvent | undefined {
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

/** Most packages finish a stream that just ended as if nothing were wrong, only without a reason from the provider. */
function isCutOff({ finishReason: { unified, raw } }: Finish): boolean {
  return (unified as string) === 'interrupted' || (unified === 'other' && raw === undefined)
}

/** A web page, say: of a proxy that wants a login, or of a server that is no model's. */
function noEvents(cause: ModelFailure): ModelFailure {
  const text = `${cause.model}: The answer is no stream of events. Is the base URL right, and the kind of provider?`
  return new ModelFailure({ model: cause.model, fault: 'unreadable', cause }, text)
}

const ends: Partial<Record<Finish['finishReason']['unified'], ReplyEnd>> = {
  length: 'length',
  'content-filter': 'refused',
}

function emptiness(end: ReplyEnd, failed: (fault: ModelFailure['fault'], text: string) => ModelFailure): ModelFailure {
  if (end === 'refused')
    return failed('refused', "The provider's filter let nothing of the answer through. Say it in other words.")
  if (end === 'length')
    return failed(
      'empty',
      'All of the output was spent on thinking, nothing was said. Raise maxOutput in the settings.',
    )
  return failed('empty', 'The answer has neither text nor a tool call in it. Try again, or try another model.')
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
