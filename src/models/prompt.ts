import type { LanguageModelV3FunctionTool, LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { ModelRequest, ToolOffer, Turn } from './model.ts'
import { inVersion4 } from './version-4.ts'

export interface PromptForm {
  readonly version: 'v3' | 'v4'
  /** Mark where the provider may cache, for those that cache only what is marked (anthropic). */
  readonly hasBreakpoints: boolean
}

/** The request in the provider packages' words. Old turns are handed on as they are. */
export function promptOf(
  { system, turns }: ModelRequest,
  { version, hasBreakpoints }: PromptForm,
): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = version === 'v4' ? turns.map(inVersion4) : turns.slice()
  if (hasBreakpoints) markLastAsked(prompt as Turn[])
  if (system !== '') prompt.unshift(systemTurn(system, turns, hasBreakpoints))
  return prompt
}

/** The same one at every call of a conversation, so that it is told from new ones. */
function systemTurn(content: string, turns: readonly Turn[], isMarked: boolean): SystemTurn {
  let turn = systems.get(turns)
  if (turn?.content !== content || isMarked !== (turn.providerOptions !== undefined)) {
    turn = { role: 'system', content, ...(isMarked && { providerOptions: BREAKPOINT }) }
    systems.set(turns, turn)
  }
  return turn
}

type SystemTurn = Extract<LanguageModelV3Prompt[number], { role: 'system' }>

const systems = new WeakMap<readonly Turn[], SystemTurn>()

const BREAKPOINT = { anthropic: { cacheControl: { type: 'ephemeral' as const } } }

/**
 * Marks the last two turns that are not the model's own, besides the system prompt, which covers the tools too. The last
 * mark writes what this call adds; the one before finds what the previous call wrote, however many parts lie between.
 */
function markLastAsked(prompt: Turn[]): void {
  let marks = 2
  for (let at = prompt.length - 1; at >= 0 && marks > 0; at--) {
    const turn = prompt[at]!
    if (turn.role === 'assistant') continue
    const { anthropic, ...others } = turn.providerOptions ?? {}
    prompt[at] = { ...turn, providerOptions: { ...others, anthropic: { ...anthropic, ...BREAKPOINT.anthropic } } }
    marks--
  }
}

/** The same offers are made at every call of a conversation. */
export function toolsOf(offers: readonly ToolOffer[]): LanguageModelV3FunctionTool[] {
  let tools = known.get(offers)
  if (tools === undefined) {
    tools = offers.map(({ name, description, schema }) => ({
      type: 'function',
      name,
      description,
      inputSchema: schema as LanguageModelV3FunctionTool['inputSchema'],
    }))
    known.set(offers, tools)
  }
  return tools
}

const known = new WeakMap<readonly ToolOffer[], LanguageModelV3FunctionTool[]>()
