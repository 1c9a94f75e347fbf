import { fileURLToPath } from 'node:url'
import type { ContentBlock } from '@agentclientprotocol/sdk'

/** The prompt as the lead reads it: files that the user mentions by their paths, and texts that came with it whole. */
export function promptText(blocks: readonly ContentBlock[]): string {
  return blocks.map(blockText).join('')
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return ` ${pathOf(block.uri)} `
    case 'resource': {
      const { resource } = block
      const content = 'text' in resource ? `\n${resource.text}\n` : ' (not a text)'
      return `\n<file path=${JSON.stringify(pathOf(resource.uri))}>${content}</file>\n`
    }
    case 'image':
      return block.uri ? ` ${pathOf(block.uri)} ` : ' [an image that cannot be read here] '
    case 'audio':
      return ' [a sound that cannot be read here] '
  }
}

function pathOf(uri: string): string {
  if (!uri.startsWith('file://')) return uri
  try {
    return fileURLToPath(uri)
  } catch {
    return uri
  }
}
