import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import type { Outputs, ToolResult } from '../../tools/tool.ts'
import { boundedLine } from './untrusted-text.ts'

const IMAGE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
/** The most images of one result that a model gets. */
const MAX_IMAGES = 20

/** A result of a server as an agent gets it: text, images; what is neither, or too long, in a file of that agent. */
export async function toolResultOf(
  result: CallToolResult,
  about: string,
  { outputs, erase }: { readonly outputs: Outputs; erase(text: string): string },
): Promise<ToolResult> {
  const images: { data: string; mediaType: string }[] = []
  const texts = result.content.flatMap((block) => textOf(block, about, outputs, images))
  const { structuredContent } = result
  if (structuredContent !== undefined && !texts.some((text) => isSameJson(text, structuredContent)))
    texts.push(JSON.stringify(structuredContent))
  const whole = texts.filter((text) => text !== '').join('\n') || (images.length > 0 ? '(an image)' : '(no output)')
  return {
    ...(await outputs.fit(erase(whole), about)),
    ...(result.isError && { isError: true }),
    ...(images.length > 0 && { images }),
  }
}

function textOf(
  block: ContentBlock,
  about: string,
  outputs: Outputs,
  images: { data: string; mediaType: string }[],
): string[] {
  switch (block.type) {
    case 'text':
      return [block.text]
    case 'image':
      if (IMAGE_TYPES.includes(block.mimeType) && isBase64(block.data) && images.length < MAX_IMAGES) {
        images.push({ data: block.data, mediaType: block.mimeType })
        return []
      }
      return [kept(block.data, block.mimeType, about, outputs)]
    case 'audio':
      return [kept(block.data, block.mimeType, about, outputs)]
    case 'resource_link':
      return [`[a resource: ${boundedLine(block.name, 200)}, ${boundedLine(block.uri, 500)}]`]
    case 'resource':
      return [resourceText(block.resource, about, outputs)]
    default:
      return ['[a part of the result is of a kind that is not known here]']
  }
}

/** The text of a resource, or the file in which its bytes are. */
export function resourceText(
  resource: { uri: string; mimeType?: string | undefined; text?: unknown; blob?: unknown },
  about: string,
  outputs: Outputs,
): string {
  if (typeof resource.text === 'string') return resource.text
  return kept(typeof resource.blob === 'string' ? resource.blob : '', resource.mimeType, about, outputs)
}

function kept(data: string, mediaType: unknown, about: string, outputs: Outputs): string {
  const type = boundedLine(mediaType, 100) || 'unknown type'
  if (!isBase64(data)) return `[${type}: its data is not base64, and is left out]`
  return `[${type}: kept in ${outputs.keep(Buffer.from(data, 'base64'), about)}]`
}

/** Without a pattern over all of it, which takes long for megabytes. */
function isBase64(data: string): boolean {
  return data.length > 0 && /^[A-Za-z0-9+/_\-=\s]*$/.test(data.slice(0, 4096)) && !data.slice(-4096).includes('\0')
}

function isSameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value)
  } catch {
    return false
  }
}
