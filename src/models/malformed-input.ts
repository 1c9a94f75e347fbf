import type { ToolCall } from './model.ts'

/**
 * What the model wrote as the input of this call, if it was not a JSON object. The call itself then has the input `{}`,
 * which every provider accepts, and the transcript keeps the text: answer the call with a tool error that shows it.
 */
export function malformedInput(call: ToolCall): string | undefined {
  const text = call.providerOptions?.deskmates?.malformedInput
  return typeof text === 'string' ? text : undefined
}
