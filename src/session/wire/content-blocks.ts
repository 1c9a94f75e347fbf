import type { AssistantTurn, UserTurn } from '../../models/model.ts'
import type { Usage } from '../../team/members/usage.ts'
import type { ToolResult } from '../../tools/tool.ts'
import type { AssistantBlock, UserBlock, WireUsage } from './envelope.ts'

/** An answer as Anthropic's content blocks, whichever provider it came from. */
export function assistantBlocks({ content }: AssistantTurn): AssistantBlock[] {
  return content.flatMap((part): AssistantBlock[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }]
      case 'reasoning': {
        const signature = part.providerOptions?.anthropic?.signature
        return [{ type: 'thinking', thinking: part.text, ...(typeof signature === 'string' && { signature }) }]
      }
      case 'tool-call':
        return [
          { type: 'tool_use', id: part.toolCallId, name: part.toolName, input: part.input as Record<string, unknown> },
        ]
      default:
        // Files that a provider made and results of tools that it ran itself have no block in this envelope.
        return []
    }
  })
}

export function userBlocks({ content }: UserTurn): UserBlock[] {
  return content.flatMap((part): UserBlock[] => (part.type === 'text' ? [{ type: 'text', text: part.text }] : []))
}

export function resultBlock(id: string, { text, isError = false, images = [] }: ToolResult): UserBlock {
  const imageBlocks = images.map(({ data, mediaType }) => ({
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: mediaType, data },
  }))
  const content = imageBlocks.length === 0 ? text : [{ type: 'text' as const, text }, ...imageBlocks]
  return { type: 'tool_result', tool_use_id: id, content, is_error: isError }
}

export function wireUsage({ input, cacheRead, cacheWrite, output }: Usage): WireUsage {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  }
}
