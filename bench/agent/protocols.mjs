/**
 * The one tool of every conversation. It returns at once: what is measured is everything around it. Ours counts as one
 * that changes something, so the transcript is synced before each call.
 */
export const NOTE = {
  name: 'note',
  description: 'Adds a note to a file of this project and returns its content.',
  schema: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
}
export const CONTENT = 'It holds a list of things to do, in order, each with a name and a date. '.repeat(4)

const TEXT = 'Let me note that before I continue.'
const INPUT = '{"file":"notes"}'

/**
 * What the two protocols need: the name and environment of our model, the request of the bare loop, how it reads one
 * event of a streamed answer into `answer` and continues the conversation, and what the server on loopback streams.
 */
export const protocols = {
  openai: {
    name: 'OpenAI-compatible',
    model: (turns) => `compatible/turns-${turns}`,
    env: (url) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'x' }),
    path: '/chat/completions',
    headers: { authorization: 'Bearer x' },
    start: ({ messages, tools }) => ({ system: messages.find(({ role }) => role === 'system').content, tools }),
    tool: ({ name, description, schema }) => ({
      type: 'function',
      function: { name, description, parameters: schema },
    }),
    messages: ({ system, prompt }) => [
      { role: 'system', content: system },
      { role: 'user', content: prompt },
    ],
    body: ({ model, tools }, messages) => ({ model, messages, tools, stream: true, max_tokens: 8000 }),
    readEvent({ choices: [choice] }, answer) {
      if (choice?.delta?.content) answer.text += choice.delta.content
      for (const { index: _, ...call } of choice?.delta?.tool_calls ?? []) answer.calls.push(call)
    },
    continue: ({ text, calls }) => [
      { role: 'assistant', content: text, tool_calls: calls },
      ...calls.map((call) => {
        JSON.parse(call.function.arguments)
        return { role: 'tool', tool_call_id: call.id, content: CONTENT }
      }),
    ],
    callEvents(number) {
      const call = {
        index: 0,
        id: `call_${number}`,
        type: 'function',
        function: { name: NOTE.name, arguments: INPUT },
      }
      return chunks(`answer-${number}`, [
        { delta: { role: 'assistant', content: TEXT } },
        { delta: { tool_calls: [call] } },
        { delta: {}, finish_reason: 'tool_calls' },
      ])
    },
    lastEvents: () =>
      chunks('last', [{ delta: { role: 'assistant', content: 'done' } }, { delta: {}, finish_reason: 'stop' }]),
  },
  anthropic: {
    name: 'Anthropic',
    model: (turns) => `anthropic/turns-${turns}`,
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'x' }),
    path: '/messages',
    headers: { 'x-api-key': 'x', 'anthropic-version': '2023-06-01' },
    start: ({ system, tools }) => ({ system, tools }),
    tool: ({ name, description, schema }) => ({ name, description, input_schema: schema }),
    messages: ({ prompt }) => [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    body: ({ model, system, tools }, messages) => ({ model, max_tokens: 8000, system, messages, tools, stream: true }),
    readEvent({ type, content_block: block, delta }, answer) {
      if (type === 'content_block_start' && block.type === 'tool_use')
        answer.calls.push({ type: 'tool_use', id: block.id, name: block.name, input: '' })
      if (type !== 'content_block_delta') return
      if (delta.type === 'text_delta') answer.text += delta.text
      else answer.calls.at(-1).input += delta.partial_json
    },
    continue: ({ text, calls }) => [
      {
        role: 'assistant',
        content: [{ type: 'text', text }, ...calls.map((call) => ({ ...call, input: JSON.parse(call.input) }))],
      },
      { role: 'user', content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: CONTENT })) },
    ],
    callEvents: (number) =>
      blocks(`answer-${number}`, 'tool_use', [
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: TEXT },
        ],
        [
          { type: 'tool_use', id: `call_${number}`, name: NOTE.name, input: {} },
          { type: 'input_json_delta', partial_json: INPUT },
        ],
      ]),
    lastEvents: () =>
      blocks('last', 'end_turn', [
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'done' },
        ],
      ]),
  },
}

/** Every answer has its own id: some libraries replace what they received under the same id before. */
function chunks(id, choices) {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const about = { id, object: 'chat.completion.chunk', created: 1, model: 'bench' }
  const events = choices.map((choice) => ({ ...about, choices: [{ index: 0, finish_reason: null, ...choice }] }))
  const lines = [...events, { ...about, choices: [], usage }].map((event) => `data: ${JSON.stringify(event)}\n\n`)
  return `${lines.join('')}data: [DONE]\n\n`
}

function blocks(id, reason, contents) {
  const usage = { input_tokens: 10, output_tokens: 5 }
  const message = { id, type: 'message', role: 'assistant', model: 'bench', content: [], stop_reason: null, usage }
  const events = [
    { type: 'message_start', message },
    ...contents.flatMap(([content_block, delta], index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
