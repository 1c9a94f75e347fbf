import { closeSync, constants, readSync } from 'node:fs'
import { z } from 'zod'
import { openAt, type Spot } from '../../permissions/paths/spot.ts'
import { counted } from '../../team/wording.ts'
import { ALL_ROLES, defineOwnTool } from '../own-tool.ts'
import { MAX_WHOLE_BYTES, readWhole } from '../paths/content.ts'
import { kindOf } from '../paths/kind-of-bytes.ts'
import { openForReading } from '../paths/open-for-reading.ts'
import type { ToolContext, ToolResult } from '../tool.ts'
import { type Page, readPage } from './page.ts'
import { MAX_IMAGE_BYTES } from './prompt-images.ts'
import description from './read-file.md'
import { hashOf } from './reads.ts'

/** Lines that are read at a time. */
export const PAGE_LINES = 2000

const Input = z.strictObject({
  path: z.string().min(1),
  offset: z.int().min(1).default(1).describe('the first line to read'),
  limit: z.int().min(1).default(PAGE_LINES).describe('how many lines'),
})

export const readFile = defineOwnTool({
  name: 'read_file',
  roles: ALL_ROLES,
  description,
  input: Input,
  isReadOnly: true,
  action: ({ path }) => ({ kind: 'read', tool: 'read_file', path }),
  async run({ path, offset, limit }, context): Promise<ToolResult> {
    using spot = openForReading(path, context)
    const { stats, shown } = spot
    if (stats.isDirectory()) return refuse(`${shown} is a folder. Use glob with path ${JSON.stringify(shown)}.`)
    if (!stats.isFile()) return refuse(`${shown} is a pipe, socket or device, not a file. Use bash if you must.`)
    const { about: _, ...result } = await readRegular(spot, { offset, limit }, context)
    return result
  },
})

export interface FileContent extends Pick<ToolResult, 'text' | 'images'> {
  /** How much of the file this is, in words: `12 lines`. */
  readonly about: string
}

/** The content of a regular file, as a model reads it. */
export async function readRegular(
  spot: Spot & { shown: string },
  { offset, limit }: { offset: number; limit: number },
  context: Pick<ToolContext, 'reads' | 'signal'>,
): Promise<FileContent> {
  const { shown, stats, real } = spot
  const fd = openAt(spot, constants.O_RDONLY)
  try {
    const start = Buffer.alloc(Math.min(8192, stats.size || 8192))
    const kind = kindOf(start.subarray(0, readSync(fd, start, 0, start.length, 0)))
    // A file too large to edit needs no hash.
    const content = stats.size <= MAX_WHOLE_BYTES ? readWhole(fd, shown) : undefined
    if (content) context.reads.set(real, hashOf(content))
    if (kind.is === 'image' && content && content.length <= MAX_IMAGE_BYTES) {
      const images = [{ data: content.toString('base64'), mediaType: kind.mediaType }]
      return { text: `${shown} (${kind.mediaType}, ${content.length} bytes)`, images, about: kind.mediaType }
    }
    if (kind.is !== 'text') {
      const name = kind.is === 'image' ? `${kind.mediaType}, too large to be shown` : kind.name
      const text = `${shown} is not text (${name}, ${stats.size} bytes). Use bash to look into it.`
      return { text, about: `not text: ${name}` }
    }
    const page = await readPage(fd, offset, limit, context.signal)
    return { text: pageText(shown, page, stats.size), about: pageAbout(page, stats.size) }
  } finally {
    closeSync(fd)
  }
}

function pageText(shown: string, { text, first, last, isEnd, total }: Page, size: number): string {
  if (total === 0) return `${shown} is empty.`
  if (text === '') return `${shown} has only ${counted(total ?? 0, 'line')}. Begin with an offset up to that.`
  if (isEnd) return text
  return `${text}\n[${pageAbout({ first, last, isEnd, total }, size)}; read on with offset=${last + 1}]`
}

function pageAbout({ first, last, isEnd, total }: Omit<Page, 'text'>, size: number): string {
  if (isEnd) return counted(total ?? 0, 'line')
  return `lines ${first} to ${last} of ${total === undefined ? `a file of ${size} bytes` : total}`
}

function refuse(text: string): ToolResult {
  return { text, isError: true }
}
