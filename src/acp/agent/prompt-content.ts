import { fileURLToPath, pathToFileURL } from 'node:url'
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk'
import type { OpenControl } from '../../session/control/open-control.ts'

type Attached = NonNullable<Parameters<OpenControl['prompt']>[2]>
type AttachedImage = NonNullable<Attached['images']>[number]
type EmbeddedResource = Extract<ContentBlock, { type: 'resource' }>['resource']

/** A prompt of an editor: what the user typed, with the paths of files that were mentioned, and the contents that came with it. */
export interface PromptContent {
  readonly text: string
  readonly attached: Attached
}

/**
 * The blocks of a prompt as the lead reads them. Contents of files stand behind the words: only in what the user typed are
 * commands and mentions looked up.
 */
export function promptContent(blocks: readonly ContentBlock[]): PromptContent {
  const images: AttachedImage[] = []
  const texts: string[] = []
  const text = blocks.map(wordsOf).join('')
  return { text, attached: { text: texts.join(''), images } }

  function wordsOf(block: ContentBlock): string {
    switch (block.type) {
      case 'text':
        return block.text
      case 'resource_link':
        return mention(block.uri)
      case 'resource':
        embed(block.resource)
        return mention(block.resource.uri)
      case 'image':
        images.push({ name: nameOf(block.uri, images.length), data: bytesOf(block.data, 'image') })
        return ''
      case 'audio':
        throw RequestError.invalidParams(undefined, 'A prompt cannot have sounds. Write what they say.')
    }
  }

  function embed(resource: EmbeddedResource): void {
    const path = JSON.stringify(pathOf(resource.uri))
    if ('text' in resource) texts.push(`\n\n<file path=${path}>\n${resource.text}\n</file>`)
    else if (resource.mimeType?.startsWith('image/'))
      images.push({ name: nameOf(resource.uri, images.length), data: bytesOf(resource.blob, 'file') })
    else texts.push(`\n\n<file path=${path}>(it is not text, and its content is left out)</file>`)
  }
}

/** A name that reads like a command or a mention that the user typed. */
const READS_AS_TYPED = /(?:^|[\s([])@|^\s*\/mcp__/

/** The path in the place where it was mentioned. Strangers name files: such a name stands there as an address. */
function mention(uri: string): string {
  const path = pathOf(uri)
  if (!READS_AS_TYPED.test(path)) return ` ${path} `
  const address = path === uri ? uri : pathToFileURL(path).href
  return ` <${address.replace(/[\s()[\]@]/g, encoded)}> `
}

function encoded(sign: string): string {
  return Buffer.from(sign).reduce((text, byte) => `${text}%${byte.toString(16).padStart(2, '0')}`, '')
}

function pathOf(uri: string): string {
  if (!uri.startsWith('file://')) return uri
  try {
    return fileURLToPath(uri)
  } catch {
    return uri
  }
}

/** The last part of its address, or a number where it has none. */
function nameOf(uri: string | null | undefined, before: number): string {
  const last = uri ? pathOf(uri).split('/').at(-1) : undefined
  return last || `image ${before + 1}`
}

function bytesOf(data: string, what: string): Uint8Array {
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length === 0)
    throw RequestError.invalidParams(undefined, `An ${what} of the prompt has no data in base64. Attach it again.`)
  return bytes
}
