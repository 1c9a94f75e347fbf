import type { ModelRequest } from '../../models/model.ts'
import { textOf } from '../../models/scripted/conversation.ts'

/** A conversation as the one who has it remembers it: what it heard and what it did, in order. */
export type Moment =
  | { readonly type: 'heard'; readonly text: string; readonly letters: readonly Letter[] }
  | { readonly type: 'did'; readonly tool: string; readonly input: Record<string, unknown>; readonly result: string }

export interface Letter {
  readonly from: string
  readonly type: string
  readonly request?: string | undefined
  readonly approve?: string | undefined
  readonly content: string
}

export function momentsOf({ turns }: Pick<ModelRequest, 'turns'>): Moment[] {
  const results = new Map<string, string>()
  for (const turn of turns)
    if (turn.role === 'tool')
      for (const part of turn.content)
        if (part.type === 'tool-result') results.set(part.toolCallId, textOf({ ...turn, content: [part] }))
  return turns.flatMap((turn): Moment[] => {
    if (turn.role === 'user') return [{ type: 'heard', text: textOf(turn), letters: lettersIn(textOf(turn)) }]
    if (turn.role === 'tool') return []
    return turn.content.flatMap((part) => {
      if (part.type !== 'tool-call') return []
      const result = results.get(part.toolCallId) ?? ''
      return [{ type: 'did' as const, tool: part.toolName, input: part.input as Record<string, unknown>, result }]
    })
  })
}

export type Did = Extract<Moment, { type: 'did' }>

export function did(moments: readonly Moment[], tool: string, input: Record<string, unknown> = {}): Did[] {
  return moments.filter(
    (moment): moment is Did =>
      moment.type === 'did' &&
      moment.tool === tool &&
      Object.entries(input).every(([name, value]) => moment.input[name] === value),
  )
}

/** All letters of a type, with where they stand in the conversation. */
export function letters(moments: readonly Moment[], type: string): (Letter & { readonly at: number })[] {
  return moments.flatMap((moment, at) =>
    moment.type === 'heard'
      ? moment.letters.filter((letter) => letter.type === type).map((one) => ({ ...one, at }))
      : [],
  )
}

/** How many tests passed and failed, if this is what a run of them printed. */
export function testsIn(output: string): { pass: number; fail: number } | undefined {
  const [pass, fail] = [/^# pass (\d+)$/m.exec(output)?.[1], /^# fail (\d+)$/m.exec(output)?.[1]]
  return pass === undefined || fail === undefined ? undefined : { pass: Number(pass), fail: Number(fail) }
}

/** The one command of the demo. It names its files: else Node looks for some in .teams too, where they come and go. */
export const TEST = 'node --test --test-reporter=tap test/*.test.js'

function lettersIn(text: string): Letter[] {
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
