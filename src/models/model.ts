import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type { Order } from '../journal/order.ts'
import { TeamError } from '../team/errors.ts'
import type { Usage } from '../team/usage.ts'

/** One turn of a conversation, as every provider package understands it. Kept verbatim, metadata included. */
export type Turn = Exclude<LanguageModelV3Message, { role: 'system' }>
export type AssistantTurn = Extract<Turn, { role: 'assistant' }>
export type UserTurn = Extract<Turn, { role: 'user' }>
export type ToolTurn = Extract<Turn, { role: 'tool' }>
export type ToolCall = Extract<AssistantTurn['content'][number], { type: 'tool-call' }>

/**
 * What the model wrote as the input of this call, if it was not a JSON object. The call itself then carries `{}`, which
 * every provider takes back, and the text stays with it in the transcript: answer it with a tool error that shows it.
 */
export function malformedInput(call: ToolCall): string | undefined {
  const text = call.providerOptions?.deskmates?.malformedInput
  return typeof text === 'string' ? text : undefined
}

/** What a model is told about a tool. */
export interface ToolOffer {
  readonly name: string
  readonly description: string
  /** JSON Schema of its input, an object. */
  readonly schema: { readonly [key: string]: unknown }
}

export interface ModelRequest {
  /** Who asks: limits are shared fairly between agents, and a scripted model answers by it. */
  readonly agent: string
  readonly system: string
  /** The same array at every call of a conversation, only longer: nobody copies, checks or changes old turns. */
  readonly turns: readonly Turn[]
  readonly tools: readonly ToolOffer[]
  /** At most as many tokens as the model can give; always sent. */
  readonly maxOutput?: number
  /** Where calls have to wait, those with more of it go first: how much work hangs on this one. */
  readonly urgency?: number
}

/** What happens while an answer comes in. None of it counts before the reply is whole. */
export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  /** The model has begun to write a call of this tool. */
  | { readonly type: 'tool_call'; readonly tool: string }
  /** Nothing is sent before so many seconds have passed. */
  | {
      readonly type: 'waiting'
      readonly provider: string
      readonly seconds: number
      readonly why: string
      /** Where a call failed and is tried again. */
      readonly retry?: Retry
    }
  /** What the provider said about its limits; for whoever paces the calls, not for a screen. */
  | { readonly type: 'limits'; readonly limits: readonly RateLimit[] }
  /** This model gave up; the next of the chain is asked. */
  | { readonly type: 'fallback'; readonly from: string; readonly to: string; readonly why: string }

export interface Retry {
  /** How often it was tried already, and how often it is tried at most. */
  readonly tried: number
  readonly of: number
  /** Seconds of waiting at most until it is given up. */
  readonly givesUpIn: number
}

/** So much is left for now, and more of it after so many seconds. */
export interface RateLimit {
  readonly of: 'requests' | 'tokens'
  readonly left: number
  readonly seconds: number
}

/**
 * finished  said all it wanted to say, or calls tools
 * length    was cut off at the limit of its output
 * refused   the provider's filter stopped it
 */
export type ReplyEnd = 'finished' | 'length' | 'refused'

export interface Reply {
  readonly turn: AssistantTurn
  readonly end: ReplyEnd
  readonly usage: Usage
  /** In US dollars; null where the price of the model is not known. Never 0 for unknown. */
  readonly cost: number | null
  /** Which model of the chain answered. */
  readonly model: string
}

/** US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** A language model, or a chain of them: one is asked, retried while nothing was emitted, then the next. */
export interface Model {
  /** `provider/model`: `anthropic/claude-sonnet-5`. */
  readonly name: string
  readonly provider: string
  /** Models that share an account share its limits: the provider, and which of its keys without showing it. */
  readonly account: string
  /** How many tokens fit into a request with its answer; undefined where nobody knows. */
  readonly context: number | undefined
  readonly price: Price | undefined
  /** Only of a model that records or replays a run: the order of what its agents do. */
  readonly order?: Order | undefined
  /**
   * One answer. Ends with the whole reply or throws a `ModelFailure`; an answer without text and calls is a failure
   * too, never an empty success. Stops quietly as soon as `signal` aborts, by throwing its reason.
   */
  reply(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, Reply>
}

/**
 * rate limit    too many requests or tokens (429)
 * overloaded    the provider has no room (529, 503, or an error event inside a stream that began with 200)
 * server        it failed (500, 502, 504)
 * network       no connection, or none that lasted
 * tls           no secure connection is possible: the certificate is not accepted, or no protocol is shared
 * time-out      connected, and then nothing for too long
 * cut off       the stream ended before the answer did
 * unreadable    what came back is not what the protocol says
 * empty         an answer with nothing in it
 * refused       the provider's filter let nothing of the answer through
 * key           no key, or one the provider does not accept (401)
 * permission    the key is known and may not do this, or not from here (403)
 * billing       the account has no credit left, or cannot pay (402, and words in 400, 403 and 429)
 * model         the provider has no model of this name, or this key may not use it (404)
 * too long      the conversation does not fit into the model's window
 * request       refused as wrong (400, 422)
 * script        a scripted or recorded model has no answer to this
 */
export type ModelFault =
  | 'rate limit'
  | 'overloaded'
  | 'server'
  | 'network'
  | 'tls'
  | 'time-out'
  | 'cut off'
  | 'unreadable'
  | 'empty'
  | 'refused'
  | 'key'
  | 'permission'
  | 'billing'
  | 'model'
  | 'too long'
  | 'request'
  | 'script'

export class ModelFailure extends TeamError {
  readonly code = 'model_failure'
  readonly model: string
  readonly fault: ModelFault
  /** Something of the answer was shown already, so nobody may ask again behind the user's back. */
  readonly emitted: boolean
  /** Seconds, where the provider said when to come back. */
  readonly retryAfter: number | undefined

  constructor(
    about: { model: string; fault: ModelFault; emitted?: boolean; retryAfter?: number | undefined; cause?: unknown },
    message: string,
  ) {
    super(message, { cause: about.cause })
    this.model = about.model
    this.fault = about.fault
    this.emitted = about.emitted ?? false
    this.retryAfter = about.retryAfter
  }
}
