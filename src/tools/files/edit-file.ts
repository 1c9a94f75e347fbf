import { createPatch } from 'diff'
import { z } from 'zod'
import { beginning } from '../../team/wording.ts'
import { defineOwnTool } from '../own-tool.ts'
import { readWhole, replaceContent } from '../paths/content.ts'
import { openForWriting } from '../paths/open-for-writing.ts'
import type { ToolContext, ToolResult } from '../tool.ts'
import description from './edit-file.md'
import { hashOf } from './reads.ts'

const Input = z.strictObject({
  path: z.string().min(1),
  old_text: z.string().min(1),
  new_text: z.string(),
  replace_all: z.boolean().default(false),
})

export const editFile = defineOwnTool({
  name: 'edit_file',
  roles: ['lead', 'teammate', 'code'],
  description,
  input: Input,
  action: ({ path }) => ({ kind: 'write', tool: 'edit_file', path }),
  async run(input, context): Promise<ToolResult> {
    const edited = edit(input, context)
    if ('text' in edited) return edited
    const { shown, before, after, times } = edited
    const patch = createPatch(shown, before, after, undefined, undefined, { context: 3, timeout: 1000 })
    const diff = patch?.split('\n').slice(4).join('\n').trimEnd() ?? '(too much changed to show it)'
    const text = `Edited ${shown}${times > 1 ? ` in ${times} places` : ''}\n${diff}`
    return context.outputs.fit(text, 'edit')
  },
})

interface Edited {
  readonly shown: string
  readonly before: string
  readonly after: string
  readonly times: number
}

/** Synchronous, so that no other agent of this process writes between reading and writing. */
function edit(
  { path, old_text, new_text, replace_all }: z.infer<typeof Input>,
  context: ToolContext,
): Edited | ToolResult {
  using file = openForWriting(path, context, { mayCreate: false })
  const { shown, real, fd } = file
  const old = readWhole(fd, shown)
  const known = context.reads.get(real)
  if (known === undefined) return refuse(`You have not read ${shown}. Read it first, then edit.`)
  if (known !== hashOf(old)) return refuse(`${shown} changed since you read it. Read it again, then edit.`)
  const before = decode(old)
  if (before === undefined) return refuse(`${shown} is not UTF-8 text. Use bash to change it.`)

  // A file with Windows line ends is read without them, so it is edited without them too.
  const isWindows = before.includes('\r\n') && !old_text.includes('\r')
  const lineEnds = (text: string) => (isWindows ? text.replaceAll('\n', '\r\n') : text)
  const [from, to] = [lineEnds(old_text), isWindows && new_text.includes('\r') ? new_text : lineEnds(new_text)]
  if (from === to) return refuse('old_text and new_text are the same. Nothing was changed.')
  const pieces = before.split(from)
  const times = pieces.length - 1
  if (times === 0) return refuse(`Text not found in ${shown}. ${closest(before, old_text)}`)
  if (times > 1 && !replace_all)
    return refuse(
      `old_text occurs ${times} times in ${shown}, in lines ${linesOf(pieces)}. Include more of the text around it, or use replace_all.`,
    )
  const after = pieces.join(to)
  const bytes = Buffer.from(after)
  replaceContent(fd, bytes, old)
  context.reads.set(real, hashOf(bytes))
  context.onWrite?.(real)
  return { shown, before, after, times }
}

/** The whole text with its byte-order mark; undefined where it is not valid UTF-8. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function linesOf(pieces: readonly string[]): string {
  let line = 1
  const lines = pieces.slice(0, -1).map((piece) => {
    line += piece.split('\n').length - 1
    return line
  })
  return lines.length > 10 ? `${lines.slice(0, 10).join(', ')} …` : lines.join(', ')
}

function refuse(text: string): ToolResult {
  return { text, isError: true }
}

/** The result is only a hint, so long files are not compared to the end. */
const MAX_LINES_COMPARED = 20_000

/** Describes where `text` has something like `wanted`: most misses differ in white space or in one line. */
function closest(text: string, wanted: string): string {
  const lines = text.split('\n', MAX_LINES_COMPARED)
  const sought = wanted.split('\n').map(bare)
  const longest = sought.reduce((best, line, i) => (line.length > sought[best]!.length ? i : best), 0)
  if (sought[longest] === '') return 'old_text is only white space; include some of the text around it.'

  const words = wordsOf(sought[longest]!)
  const likeness = lines.map((line) => alike(wordsOf(bare(line)), words))
  const best = likeness.reduce((best, value, i) => (value > likeness[best]! ? i : best), 0)
  if (likeness[best]! < 0.5) return 'The file has nothing similar; read it again.'

  const from = Math.max(0, best - longest)
  const there = lines.slice(from, from + sought.length)
  const isSame = there.length === sought.length && there.every((line, i) => bare(line) === sought[i])
  const shown = there.slice(0, 20).map((line, i) => `${String(from + i + 1).padStart(6)}\t${beginning(line, 200)}`)
  return `The most similar text differs in ${isSame ? 'white space only' : 'its words'}:\n${shown.join('\n')}`
}

/** Between 0 and 1: how many of their words they share. */
function alike(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let shared = 0
  for (const word of some) if (others.has(word)) shared++
  return shared / Math.max(some.size, others.size, 1)
}

function wordsOf(line: string): Set<string> {
  return new Set(line.match(/\w+|[^\w\s]+/g))
}

function bare(line: string): string {
  return line.replace(/\s+/g, ' ').trim()
}
