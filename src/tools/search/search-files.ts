import { closeSync, constants } from 'node:fs'
import { openAt, openSpot } from '../../permissions/paths/spot.ts'
import { MAX_WHOLE_BYTES, readWhole } from '../paths/content.ts'
import { refuseReading, show } from '../paths/file-access.ts'
import { kindOf } from '../paths/kind-of-bytes.ts'
import type { ToolContext } from '../tool.ts'
import { type Pattern, withinTime } from './patterns.ts'

export interface FileFound {
  readonly shown: string
  readonly lines: readonly string[]
  /** Places in `lines`, counted from 0. */
  readonly matches: readonly number[]
}

export interface Found {
  readonly files: readonly FileFound[]
  /** The limit was reached before everything was searched. */
  readonly isCut: boolean
  /** Too large to be searched. */
  readonly tooLarge: readonly string[]
}

export interface SearchOptions {
  readonly mode: 'content' | 'files' | 'count'
  readonly limit: number
}

/** Text searched at once, before other agents run. */
const BATCH_CHARACTERS = 1024 * 1024
const BATCH_TIMEOUT_MS = 1000

/** Searches one file after the other until the limit is reached. */
export async function search(
  paths: readonly string[],
  pattern: Pattern,
  { mode, limit }: SearchOptions,
  context: ToolContext,
): Promise<Found> {
  const files: FileFound[] = []
  const tooLarge: string[] = []
  let results = 0
  let batch: Text[] = []
  let size = 0
  for (const [i, path] of paths.entries()) {
    const text = read(path, context)
    if (text === 'too large') tooLarge.push(path)
    else if (text !== undefined) {
      batch.push(text)
      size += text.text.length
    }
    if (size < BATCH_CHARACTERS && i < paths.length - 1) continue
    const texts = batch
    for (const found of withinTime(() => texts.flatMap((one) => searchText(one, pattern)), BATCH_TIMEOUT_MS)) {
      if (results >= limit) return { files, tooLarge, isCut: true }
      const rest = mode === 'content' ? limit - results : found.matches.length
      files.push({ ...found, matches: found.matches.slice(0, rest) })
      results += mode === 'content' ? found.matches.length : 1
    }
    if (results > limit) return { files, tooLarge, isCut: true }
    batch = []
    size = 0
    await new Promise(setImmediate)
    context.signal.throwIfAborted()
  }
  return { files, tooLarge, isCut: false }
}

interface Text {
  readonly shown: string
  readonly text: string
}

function searchText({ shown, text }: Text, { line, text: whole }: Pattern): FileFound[] {
  if (whole && !whole.test(text)) return []
  const lines = text.split(/\r?\n/)
  // The text after the last line break is not a line.
  if (lines.at(-1) === '') lines.pop()
  const matches = lines.flatMap((content, i) => (line.test(content) ? [i] : []))
  return matches.length === 0 ? [] : [{ shown, lines, matches }]
}

/** Undefined for a file that is not text or was removed. */
function read(path: string, context: ToolContext): Text | 'too large' | undefined {
  try {
    using spot = openSpot(path, { follow: false })
    if (!spot.stats.isFile() || refuseReading(spot.real, context) !== undefined) return undefined
    if (spot.stats.size > MAX_WHOLE_BYTES) return 'too large'
    const fd = openAt(spot, constants.O_RDONLY)
    try {
      const content = readWhole(fd, path)
      if (kindOf(content.subarray(0, 8192)).is !== 'text') return undefined
      return { shown: show(spot.real, context), text: new TextDecoder().decode(content) }
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}
