import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type { Order } from '../journal/replay/order.ts'
import { TeamError } from '../team/errors.ts'
import type { Usage } from '../team/members/usage.ts'

/** One turn of a conversation in the format of the provider packages. Stored verbatim, metadata included. */
export type Turn = Exclude<LanguageModelV3Message, { role: 'system' }>
export type AssistantTurn = Extract<Turn, { role: 'assistant' }>
export type UserTurn = Extract<Turn, { role: 'user' }>
export type ToolTurn = Extract<Turn, { role: 'tool' }>
export type ToolCall = Extract<AssistantTurn['content'][number], { type: 'tool-call' }>

/** A tool as a model sees it. */
export interface ToolOffer {
  readonly name: string
  readonly description: string
  /** JSON Schema of its input, an object. */
  readonly schema: { readonly [key: string]: unknown }
}

export interface ModelRequest {
  /** The calling agent: rate limits are shared fairly between agents, and a scripted model answers by it. */
  readonly agent: string
  readonly system: string
  /** The same array at every call of a conversation, only longer. Old turns are never changed. */
  readonly turns: readonly Turn[]
  readonly tools: readonly ToolOffer[]
  /** The most tokens of the answer; a default is sent where it is missing. */
  readonly maxOutput?: number
  /** How much work depends on this call. When calls have to wait, the most urgent goes first. */
  readonly urgency?: number
}

/** What happens while an answer is received. None of it counts before the reply is complete. */
export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  /** The model has begun to write a call of this tool. */
  | { readonly type: 'tool_call'; readonly tool: string }
  /** The call is made after so many seconds. */
  | {
      readonly type: 'waiting'
      readonly provider: string
      readonly seconds: number
      readonly why: string
      /** Present when a call failed and is retried. */
      readonly retry?: Retry
    }
  /** What the provider reported about its limits. For the rate limiter, not for display. */
  | { readonly type: 'limits'; readonly limits: readonly RateLimit[] }
  /** This model failed for good; the next of the chain is called. */
  | { readonly type: 'fallback'; readonly from: string; readonly to: string; readonly why: string }

export interface Retry {
  /** How often the model was called already, and how often at most. */
  readonly tried: number
  readonly of: number
  /** The most seconds spent waiting until the call fails for good. */
  readonly givesUpIn: number
}

/** So much is left until the limit is reset after so many seconds. */
export interface RateLimit {
  readonly of: 'requests' | 'tokens'
  readonly left: number
  readonly seconds: number
}

/**
 * finished  the answer is complete, or calls tools
 * length    the answer ended at the output limit
 * refused   the provider's filter ended the answer
 */
export type ReplyEnd = 'finished' | 'length' | 'refused'

export interface Reply {
  readonly turn: AssistantTurn
  readonly end: ReplyEnd
  readonly usage: Usage
  /** In US dollars; null where the price of the model is unknown, never 0. */
  readonly cost: number | null
  /** The model of the chain that answered. */
  readonly model: string
}

/** US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** A language model, or a chain of them: one is called, retried while nothing was emitted, then the next. */
export interface Model {
  /** `provider/model`: `anthropic/claude-sonnet-5`. */
  readonly name: string
  readonly provider: string
  /** The provider and a hash of the key. Models with the same account share its rate limits. */
  readonly account: string
  /** How many tokens fit into a request with its answer; undefined where it is unknown. */
  readonly context: number | undefined
  readonly price: Price | undefined
  /** False: it is known to accept text only. */
  readonly acceptsImages?: boolean | undefined
  /** Only of a model that records or replays a run: the order of its agents' steps. */
  readonly order?: Order | undefined
  /**
   * One answer. Returns the complete reply or throws a `ModelFailure`; an answer without text and calls is a failure
   * too, never an empty success. Throws the signal's reason as soon as `signal` aborts.
   */
  reply(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, Reply>
}

/**
 * rate limit    too many requests or tokens (429)
 * overloaded    the provider has no capacity (529, 503, or an error event inside a stream that began with 200)
 * server        the provider failed (500, 502, 504)
 * network       no connection, or it broke before the answer began
 * tls           no secure connection is possible: the certificate is not accepted, or no protocol is shared
 * time-out      connected, and then nothing for too long
 * cut off       the stream ended before the answer did
 * unreadable    the response does not follow the protocol
 * empty         an answer without text and calls
 * refused       the provider's filter removed the whole answer
 * key           no key, or one the provider does not accept (401)
 * permission    the key is accepted but may not do this, or not from this location (403)
 * billing       the account has no credit left, or cannot pay (402, and messages of 400, 403 and 429)
 * model         the provider has no model with this name, or the key may not use it (404)
 * too long      the conversation does not fit into the model's window
 * request       the provider refuses the request as invalid (400, 422)
 * script        a scripted or recorded model has no answer to this request
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
  /** Part of the answer was shown already, so the call must not be retried: it would be shown twice. */
  readonly emitted: boolean
  /** Seconds after which the provider accepts the next call, where it said so. */
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
