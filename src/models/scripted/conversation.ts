import type { ModelRequest, ToolTurn, Turn } from '../model.ts'
import type { Conditions, Pattern } from './script.ts'

/** What the conditions of a script are matched with: the input since the model's last answer, and its number. */
export interface Asked {
  readonly agent: string
  readonly answer: number
  readonly user: string
  readonly results: readonly { readonly tool: string; readonly text: string }[]
}

export function askedIn({ agent, turns }: ModelRequest): Asked {
  const last = turns.findLastIndex(({ role }) => role === 'assistant')
  const fresh = turns.slice(last + 1)
  return {
    agent,
    answer: turns.filter(({ role }) => role === 'assistant').length + 1,
    user: fresh
      .filter((turn) => turn.role === 'user')
      .map(textOf)
      .join('\n'),
    results: fresh.filter((turn) => turn.role === 'tool').flatMap(resultsOf),
  }
}

/** Why a condition does not match; undefined if all match. */
export function objection(when: Conditions, asked: Asked, request: ModelRequest): string | undefined {
  if (when.answer !== undefined && when.answer !== asked.answer) return `this is not answer ${when.answer}`
  if (when.user !== undefined && !fits(when.user, asked.user))
    return `the user turn does not contain ${show(when.user)}`
  if (when.system !== undefined && !fits(when.system, request.system))
    return `the system prompt does not contain ${show(when.system)}`
  const { result, conversation } = when
  if (result !== undefined) {
    const { tool, text = '' } =
      typeof result === 'string' || result instanceof RegExp ? { tool: undefined, text: result } : result
    const isThere = asked.results.some((one) => (tool === undefined || one.tool === tool) && fits(text, one.text))
    if (!isThere) return `no result${tool === undefined ? '' : ` of ${tool}`} contains ${show(text)}`
  }
  if (conversation !== undefined && !request.turns.some((turn) => fits(conversation, textOf(turn))))
    return `the conversation does not contain ${show(conversation)}`
  return undefined
}

export function textOf(turn: Turn): string {
  if (turn.role === 'tool')
    return resultsOf(turn)
      .map(({ text }) => text)
      .join('\n')
  return (turn.content as readonly { text?: string }[]).map(({ text }) => text ?? '').join('')
}

function resultsOf(turn: ToolTurn): { tool: string; text: string }[] {
  return turn.content.flatMap((part) =>
    part.type === 'tool-result' ? [{ tool: part.toolName, text: outputText(part.output) }] : [],
  )
}

type Output = Extract<ToolTurn['content'][number], { type: 'tool-result' }>['output']

function outputText(output: Output): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'execution-denied':
      return output.reason ?? ''
    case 'content':
      return output.value.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
  }
}

function fits(pattern: Pattern, text: string): boolean {
  if (pattern instanceof RegExp) return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(text)
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(pattern) ?? []
  return source === undefined ? text.includes(pattern) : fits(new RegExp(source, flags), text)
}

function show(pattern: Pattern): string {
  return pattern instanceof RegExp ? String(pattern) : JSON.stringify(pattern)
}
