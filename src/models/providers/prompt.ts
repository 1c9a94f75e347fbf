import type { LanguageModelV3FunctionTool, LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { ModelRequest, ToolOffer, Turn } from '../model.ts'
import { inVersion4 } from './version-4.ts'

export interface PromptForm {
  readonly version: 'v3' | 'v4'
  /** Mark where the provider may cache, because it caches only up to marks (anthropic). */
  readonly hasBreakpoints: boolean
}

/** The request in the format of the provider packages. Old turns are passed on unchanged. */
export function promptOf(
  { system, turns }: ModelRequest,
  { version, hasBreakpoints }: PromptForm,
): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = version === 'v4' ? turns.map(inVersion4) : turns.slice()
  if (hasBreakpoints) markLastInputs(prompt as Turn[])
  if (system !== '')
    prompt.unshift({ role: 'system', content: system, ...(hasBreakpoints && { providerOptions: BREAKPOINT }) })
  return prompt
}

const BREAKPOINT = { anthropic: { cacheControl: { type: 'ephemeral' as const } } }

/**
 * Marks the last two turns that are not the model's own, besides the system prompt, which covers the tools too. The last
 * mark caches what this call adds; the one before finds what the previous call cached, however many parts lie between.
 */
function markLastInputs(prompt: Turn[]): void {
  let marks = 2
  for (let at = prompt.length - 1; at >= 0 && marks > 0; at--) {
    const turn = prompt[at]!
    if (turn.role === 'assistant') continue
    const { anthropic, ...others } = turn.providerOptions ?? {}
    prompt[at] = { ...turn, providerOptions: { ...others, anthropic: { ...anthropic, ...BREAKPOINT.anthropic } } }
    marks--
  }
}

export function toolsOf(offers: readonly ToolOffer[]): LanguageModelV3FunctionTool[] {
  return offers.map(({ name, description, schema }) => ({
    type: 'function',
    name,
    description,
    inputSchema: schema as LanguageModelV3FunctionTool['inputSchema'],
  }))
}
