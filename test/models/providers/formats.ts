import type { Env } from '../../../src/models/transport/connections.ts'

/** One of the protocols we speak: how to reach it, and how its server says things. */
export interface Format {
  readonly name: string
  readonly model: string
  env(url: string): Env
  /** The path below the base URL that is asked. */
  readonly path: string
  /** An answer of two pieces of text and one call, `{"path":"a.txt"}`, in events. */
  readonly good: readonly string[]
  /** How many events of it come before anything is shown. */
  readonly hidden: number
  /** A whole answer with nothing in it. */
  readonly empty: readonly string[]
  /** An error inside a stream that began with 200. */
  readonly error: string
  /** The same call, its input cut in the middle. */
  readonly malformed: readonly string[]
  /** What a 429 says. */
  readonly refusal: string
}

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const named = (type: string, value: object) => `event: ${type}\n${data({ type, ...value })}`

const start = named('message_start', {
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 12, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 1 },
  },
})
const stopped = (reason: string) =>
  named('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 30 } }) +
  named('message_stop', {})
const claudeText = (...pieces: string[]) => [
  named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ...pieces.map((text) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
  named('content_block_stop', { index: 0 }),
]
const claudeCall = (...pieces: string[]) => [
  named('content_block_start', {
    index: 1,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} },
  }),
  ...pieces.map((json) =>
    named('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: json } }),
  ),
  named('content_block_stop', { index: 1 }),
]

export const anthropic: Format = {
  name: 'anthropic',
  model: 'anthropic/claude-sonnet-4-5',
  env: (url) => ({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url }),
  path: '/v1/messages',
  good: [start, ...claudeText('Reading ', 'it.'), ...claudeCall('{"path"', ':"a.txt"}'), stopped('tool_use')],
  hidden: 2,
  empty: [start, stopped('end_turn')],
  error: named('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  malformed: [start, ...claudeCall('{"path"', ':"a.t'), stopped('max_tokens')],
  refusal: JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'Too many' } }),
}

const responseOf = (more: object) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  model: 'gpt-5',
  output: [],
  usage: {
    input_tokens: 132,
    input_tokens_details: { cached_tokens: 100 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 0 },
  },
  ...more,
})
const created = named('response.created', { response: responseOf({ status: 'in_progress', usage: null }) })
const completed = named('response.completed', { response: responseOf({ status: 'completed' }) })
const incomplete = named('response.incomplete', {
  response: responseOf({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
})
const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] }
const responsesText = (...pieces: string[]) => [
  named('response.output_item.added', { output_index: 0, item: message }),
  ...pieces.map((delta) =>
    named('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta }),
  ),
  named('response.output_item.done', {
    output_index: 0,
    item: {
      ...message,
      status: 'completed',
      content: [{ type: 'output_text', text: pieces.join(''), annotations: [] }],
    },
  }),
]
const responsesCall = (input: string) => {
  const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read_file', arguments: '' }
  return [
    named('response.output_item.added', { output_index: 1, item }),
    named('response.function_call_arguments.delta', { item_id: 'fc_1', output_index: 1, delta: input }),
    named('response.output_item.done', { output_index: 1, item: { ...item, arguments: input, status: 'completed' } }),
  ]
}
const openaiEnv = (url: string) => ({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url })
const openaiRefusal = JSON.stringify({ error: { message: 'Slow', type: 'requests', code: 'rate_limit_exceeded' } })

export const responses: Format = {
  name: 'openai responses',
  model: 'openai/gpt-5',
  env: openaiEnv,
  path: '/v1/responses',
  good: [created, ...responsesText('Reading ', 'it.'), ...responsesCall('{"path":"a.txt"}'), completed],
  hidden: 2,
  empty: [created, completed],
  error: named('error', { sequence_number: 1, code: 'server_error', message: 'The server had an error', param: null }),
  malformed: [created, ...responsesCall('{"path":"a.t'), incomplete],
  refusal: openaiRefusal,
}

const chunk = (delta: object, finish: string | null = null) =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'gpt-5',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
const chatUsage = data({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'gpt-5',
  choices: [],
  usage: {
    prompt_tokens: 132,
    completion_tokens: 30,
    total_tokens: 162,
    prompt_tokens_details: { cached_tokens: 100 },
  },
})
const chatCall = (...pieces: string[]) => [
  chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '' } }] }),
  ...pieces.map((json) => chunk({ tool_calls: [{ index: 0, function: { arguments: json } }] })),
]
const done = 'data: [DONE]\n\n'
const chat = {
  path: '/v1/chat/completions',
  good: [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'Reading ' }),
    chunk({ content: 'it.' }),
    ...chatCall('{"path"', ':"a.txt"}'),
    chunk({}, 'tool_calls'),
    chatUsage,
    done,
  ],
  hidden: 1,
  empty: [chunk({ role: 'assistant', content: '' }), chunk({}, 'stop'), chatUsage, done],
  error: data({ error: { message: 'The server had an error', type: 'server_error', param: null, code: null } }),
  malformed: [
    chunk({ role: 'assistant', content: '' }),
    ...chatCall('{"path"', ':"a.t'),
    chunk({}, 'length'),
    chatUsage,
    done,
  ],
  refusal: openaiRefusal,
}

export const openaiChat: Format = { name: 'openai chat', model: 'openai-chat/gpt-5', env: openaiEnv, ...chat }

export const compatible: Format = { name: 'compatible', model: 'compatible/qwen3', env: openaiEnv, ...chat }

const candidate = (parts: object[], finishReason?: string) =>
  data({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: {
      promptTokenCount: 132,
      cachedContentTokenCount: 100,
      candidatesTokenCount: 30,
      totalTokenCount: 162,
    },
    modelVersion: 'gemini-2.5-pro',
    responseId: 'r1',
  })

export const google: Format = {
  name: 'google',
  model: 'google/gemini-2.5-pro',
  env: () => ({ GEMINI_API_KEY: 'k' }),
  path: '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
  good: [
    candidate([]),
    candidate([{ text: 'Reading ' }]),
    candidate([{ text: 'it.' }]),
    candidate([{ functionCall: { name: 'read_file', args: { path: 'a.txt' } }, thoughtSignature: 'sig-call' }], 'STOP'),
  ],
  hidden: 1,
  empty: [candidate([]), candidate([], 'STOP')],
  error: data({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  // Gemini sends inputs as objects; what it cannot write it reports like this.
  malformed: [candidate([]), candidate([], 'MALFORMED_FUNCTION_CALL')],
  refusal: JSON.stringify({
    error: {
      code: 429,
      message: 'Quota',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }],
    },
  }),
}

export const formats: readonly Format[] = [anthropic, responses, openaiChat, compatible, google]
