import type { AssistantTurn, ToolCall } from '../model.ts'
import type { StreamPart } from './language-model.ts'

type Content = AssistantTurn['content'][number]
type Options = NonNullable<Content['providerOptions']>

interface TextPart {
  readonly type: 'text' | 'reasoning'
  text: string
  providerOptions?: Options
}

export interface TurnAssembly {
  add(part: StreamPart): void
  /** Neither text nor a call. */
  readonly isEmpty: boolean
  turn(): AssistantTurn
}

/** Assembles the parts of a stream to one turn, with all metadata that the provider needs when the turn is sent back. */
export function createTurnAssembly(): TurnAssembly {
  const content: Content[] = []
  const open = new Map<string, TextPart>()
  const ids = new Set<string>()

  function begin(type: 'text' | 'reasoning', id: string): TextPart {
    const part: TextPart = { type, text: '' }
    content.push(part)
    open.set(`${type} ${id}`, part)
    return part
  }

  function grow(type: 'text' | 'reasoning', part: { id: string; delta?: string; providerMetadata?: unknown }): void {
    const at = open.get(`${type} ${part.id}`) ?? begin(type, part.id)
    if (part.delta) at.text += part.delta
    // A signature comes with an empty delta, encrypted reasoning with the end: all metadata is kept.
    if (part.providerMetadata) at.providerOptions = merged(at.providerOptions, part.providerMetadata as Options)
  }

  return {
    add(part) {
      switch (part.type) {
        case 'text-start':
          begin('text', part.id)
          return grow('text', part)
        case 'reasoning-start':
          begin('reasoning', part.id)
          return grow('reasoning', part)
        case 'text-delta':
        case 'text-end':
          return grow('text', part)
        case 'reasoning-delta':
        case 'reasoning-end':
          return grow('reasoning', part)
        case 'tool-call':
          return void content.push(call(part, part.providerExecuted ? part.toolCallId : uniqueId(part.toolCallId, ids)))
        case 'tool-result':
          if (!part.preliminary) content.push(providerResult(part))
          return
        case 'file':
          return void content.push(...file(part))
      }
    },
    get isEmpty() {
      return !content.some((part) => part.type !== 'reasoning' && (part.type !== 'text' || part.text.trim() !== ''))
    },
    turn: () => ({
      role: 'assistant',
      // Providers refuse empty texts, except their own ones with metadata.
      content: content.filter(
        (part) => !('text' in part) || part.text.trim() !== '' || part.providerOptions !== undefined,
      ),
    }),
  }
}

/** Small servers send no ids, or one id for several calls, whose results could not be distinguished. */
function uniqueId(given: string, taken: Set<string>): string {
  let id = given
  for (let number = 2; id === '' || taken.has(id); number++) id = `${given || 'call'}-${number}`
  taken.add(id)
  return id
}

function call(part: Extract<StreamPart, { type: 'tool-call' }>, id: string): ToolCall {
  const input = jsonObject(part.input)
  const options = part.providerMetadata as Options | undefined
  const kept = input === undefined ? merged(options, { deskmates: { malformedInput: part.input } }) : options
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: part.toolName,
    input: input ?? {},
    ...(part.providerExecuted && { providerExecuted: true }),
    ...(kept && { providerOptions: kept }),
  }
}

function providerResult(part: Extract<StreamPart, { type: 'tool-result' }>): Content {
  return {
    type: 'tool-result',
    toolCallId: part.toolCallId,
    toolName: part.toolName,
    output: { type: part.isError ? 'error-json' : 'json', value: part.result },
    ...(part.providerMetadata && { providerOptions: part.providerMetadata }),
  }
}

/** In base64 for the transcript. A file that is only a URL is left out: the URL expires before the next turn. */
function file(part: Extract<StreamPart, { type: 'file' }>): Content[] {
  // Version 4 says whether it is data or a URL.
  const data = typeof part.data === 'string' || part.data instanceof Uint8Array ? part.data : part.data.data
  if (data === undefined) return []
  return [
    {
      type: 'file',
      data: typeof data === 'string' ? data : Buffer.from(data).toString('base64'),
      mediaType: part.mediaType,
      ...(part.providerMetadata && { providerOptions: part.providerMetadata }),
    },
  ]
}

function merged(old: Options | undefined, added: Options): Options {
  if (old === undefined) return added
  const all = { ...old }
  for (const provider in added) all[provider] = { ...all[provider], ...added[provider] }
  return all
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
