import type { ModelRequest } from '../../models/model.ts'
import { textOf } from '../../models/scripted/conversation.ts'

/** One entry of a conversation: an input, or a tool call with its result. */
export type Entry =
  | { readonly type: 'input'; readonly text: string; readonly messages: readonly InputMessage[] }
  | { readonly type: 'did'; readonly tool: string; readonly input: Record<string, unknown>; readonly result: string }

export interface InputMessage {
  readonly from: string
  readonly type: string
  readonly request?: string | undefined
  readonly approve?: string | undefined
  readonly content: string
}

export function entriesOf({ turns }: Pick<ModelRequest, 'turns'>): Entry[] {
  const results = new Map<string, string>()
  for (const turn of turns)
    if (turn.role === 'tool')
      for (const part of turn.content)
        if (part.type === 'tool-result') results.set(part.toolCallId, textOf({ ...turn, content: [part] }))
  return turns.flatMap((turn): Entry[] => {
    if (turn.role === 'user') return [{ type: 'input', text: textOf(turn), messages: messagesIn(textOf(turn)) }]
    if (turn.role === 'tool') return []
    return turn.content.flatMap((part) => {
      if (part.type !== 'tool-call') return []
      const result = results.get(part.toolCallId) ?? ''
      return [{ type: 'did' as const, tool: part.toolName, input: part.input as Record<string, unknown>, result }]
    })
  })
}

export type Did = Extract<Entry, { type: 'did' }>

export function did(entries: readonly Entry[], tool: string, input: Record<string, unknown> = {}): Did[] {
  return entries.filter(
    (entry): entry is Did =>
      entry.type === 'did' &&
      entry.tool === tool &&
      Object.entries(input).every(([name, value]) => entry.input[name] === value),
  )
}

/** All messages of a type, with their index in the conversation. */
export function messages(entries: readonly Entry[], type: string): (InputMessage & { readonly at: number })[] {
  return entries.flatMap((entry, at) =>
    entry.type === 'input'
      ? entry.messages.filter((message) => message.type === type).map((one) => ({ ...one, at }))
      : [],
  )
}

/** How many tests passed and failed, if this is the output of a test run. */
export function testsIn(output: string): { pass: number; fail: number } | undefined {
  const [pass, fail] = [/^# pass (\d+)$/m.exec(output)?.[1], /^# fail (\d+)$/m.exec(output)?.[1]]
  return pass === undefined || fail === undefined ? undefined : { pass: Number(pass), fail: Number(fail) }
}

/** The one command of the demo. It names its files: else Node looks for some in .teams too, where they come and go. */
export const TEST = 'node --test --test-reporter=tap test/*.test.js'

function messagesIn(text: string): InputMessage[] {
  return [...text.matchAll(/<message from="([^"]*)"([^>]*)>\n([\s\S]*?)\n<\/message>/g)].map(
    ([, from = '', about = '', content = '']) => ({
      from,
      type: attribute(about, 'type') ?? 'message',
      request: attribute(about, 'request_id'),
      approve: attribute(about, 'approve'),
      content,
    }),
  )
}

function attribute(text: string, name: string): string | undefined {
  return new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1]
}
