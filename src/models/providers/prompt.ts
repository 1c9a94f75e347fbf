import type { LanguageModelV3FunctionTool, LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { ModelRequest, ToolOffer, ToolTurn, Turn } from '../model.ts'
import { type ImageSupport, withImages } from './images.ts'

export interface PromptForm {
  readonly version: 'v3' | 'v4'
  /** Mark where the provider may cache, because it caches only up to marks (anthropic). */
  readonly hasBreakpoints: boolean
  readonly images?: ImageSupport
}

/** The request in the format of the provider packages. Old turns are passed on unchanged. */
export function promptOf(
  { system, turns: all }: ModelRequest,
  { version, hasBreakpoints, images = 'everywhere' }: PromptForm,
): LanguageModelV3Prompt {
  const turns = withImages(all, images)
  const prompt: LanguageModelV3Prompt = version === 'v4' ? turns.map(inVersion4) : turns.slice()
  if (hasBreakpoints) markRequestEnds(prompt as Turn[])
  if (system !== '')
    prompt.unshift({ role: 'system', content: system, ...(hasBreakpoints && { providerOptions: BREAKPOINT }) })
  return prompt
}

const BREAKPOINT = { anthropic: { cacheControl: { type: 'ephemeral' as const } } }

/**
 * Marks where this request ends, which caches what it adds, and where the previous request of the conversation ended, which
 * finds what that one cached, however many results, notices and messages came since. Results and mail that follow them are
 * one message to the provider, so both marks on the last two turns would miss the end of the previous request.
 */
function markRequestEnds(prompt: Turn[]): void {
  const last = lastInputBefore(prompt, prompt.length)
  const answer = prompt.findLastIndex(({ role }) => role === 'assistant')
  for (const at of new Set([last, lastInputBefore(prompt, answer)])) {
    const turn = prompt[at]
    if (turn === undefined) continue
    const { anthropic, ...others } = turn.providerOptions ?? {}
    prompt[at] = { ...turn, providerOptions: { ...others, anthropic: { ...anthropic, ...BREAKPOINT.anthropic } } }
  }
}

function lastInputBefore(prompt: readonly Turn[], end: number): number {
  let at = end - 1
  while (at >= 0 && prompt[at]!.role === 'assistant') at--
  return at
}

/** `isMarked`: the last one is marked, so that agents with the same tools share them, whatever their system prompts. */
export function toolsOf(offers: readonly ToolOffer[], isMarked: boolean): LanguageModelV3FunctionTool[] {
  return offers.map(({ name, description, schema }, at) => ({
    type: 'function',
    name,
    description,
    inputSchema: schema as LanguageModelV3FunctionTool['inputSchema'],
    ...(isMarked && at === offers.length - 1 && { providerOptions: BREAKPOINT }),
  }))
}

type Output = Extract<ToolTurn['content'][number], { type: 'tool-result' }>['output']
type Piece = Extract<Output, { type: 'content' }>['value'][number]

/** The same turn for a model of interface version 4, which says of every file whether it is data or a URL. */
function inVersion4(turn: Turn): Turn {
  const isTouched = turn.content.some(
    (part) => part.type === 'file' || (part.type === 'tool-result' && part.output.type === 'content'),
  )
  if (!isTouched) return turn
  return { ...turn, content: (turn.content as unknown[]).map((part) => convertPart(part as never)) } as Turn
}

function convertPart(part: Turn['content'][number]): unknown {
  if (part.type === 'file') return { ...part, data: tagged(part.data) }
  if (part.type !== 'tool-result' || part.output.type !== 'content') return part
  return { ...part, output: { ...part.output, value: part.output.value.map(convertPiece) } }
}

function convertPiece(piece: Piece): unknown {
  switch (piece.type) {
    case 'file-data':
    case 'image-data':
      return { ...piece, type: 'file', data: { type: 'data', data: piece.data } }
    case 'file-url':
    case 'image-url':
      return {
        mediaType: 'image',
        ...without(piece, 'url'),
        type: 'file',
        data: { type: 'url', url: new URL(piece.url) },
      }
    default:
      return piece
  }
}

function tagged(data: string | Uint8Array | URL): unknown {
  return data instanceof URL ? { type: 'url', url: data } : { type: 'data', data }
}

function without<T extends object, K extends keyof T>(whole: T, key: K): Omit<T, K> {
  const { [key]: _, ...rest } = whole
  return rest
}
