import { z } from 'zod'
import { MESSAGE_BYTES } from '../../team/message.ts'
import type { Call } from '../program/context.ts'
import { Misused } from '../program/failure.ts'

/** A line of stdin that is not a message, with its number. */
export class WrongLine extends Misused {}

/** Reads the next message; undefined when stdin has ended, or the command is interrupted. */
export type MessageLines = () => Promise<string | undefined>

/** A prompt of the longest size, with every character escaped. */
const MAX_LINE_BYTES = 8 * MESSAGE_BYTES

/**
 * Messages of `--input-format stream-json`: one JSON object per line, `{"type":"user","message":{"role":"user","content":…}}`.
 * Nothing is read ahead of the message that is asked for, but the rest of a piece of input.
 */
export function readMessageLines({ stdin, signal }: Pick<Call, 'stdin' | 'signal'>): MessageLines {
  const lines = linesOf(stdin)
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  let number = 0
  return async () => {
    for (;;) {
      const step = await Promise.race([lines.next(), aborted])
      if (step === undefined || step.done) return undefined
      number++
      if (step.value === 'too large') throw wrong(number, `it has more than ${MAX_LINE_BYTES / MESSAGE_BYTES} MB`)
      const text = textOf(step.value, number)
      if (text !== undefined) return text
    }
  }
}

/** Lines without their end; a line that is too large is not kept, and is the last one. */
async function* linesOf(stdin: Call['stdin']): AsyncGenerator<Buffer | 'too large', void> {
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    let rest = Buffer.from(chunk)
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      if (size + end > MAX_LINE_BYTES) return yield 'too large'
      yield Buffer.concat([...parts, rest.subarray(0, end)])
      rest = rest.subarray(end + 1)
      parts = []
      size = 0
    }
    parts.push(rest)
    size += rest.length
    if (size > MAX_LINE_BYTES) return yield 'too large'
  }
  if (size > 0) yield Buffer.concat(parts)
}

const NEWLINE = 0x0a

const Block = z.looseObject({ type: z.string() })
const UserLine = z.looseObject({
  type: z.literal('user'),
  message: z.looseObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(Block).min(1)], { error: 'it is neither a text nor a list of blocks' }),
  }),
})

/** The text of one line; undefined for an empty one. */
function textOf(bytes: Buffer, line: number): string | undefined {
  const value = parsed(bytes, line)
  if (value === undefined) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(line, 'it is not an object')
  const { type } = value as { type?: unknown }
  if (type !== 'user') throw wrong(line, `its type is ${JSON.stringify(type)?.slice(0, 80) ?? 'missing'}, not "user"`)
  const checked = UserLine.safeParse(value)
  if (!checked.success) {
    const [issue] = checked.error.issues
    throw wrong(line, `${issue!.path.join('.')}: ${issue!.message}`)
  }
  const { content } = checked.data.message
  const text = (typeof content === 'string' ? content : content.map((block) => blockText(block, line)).join('\n'))
    // Half of a pair is no character: no model and no file could hold it.
    .replace(/\p{Surrogate}/gu, '\ufffd')
  if (text.trim() === '') throw wrong(line, 'its text is empty')
  if (Buffer.byteLength(text) > MESSAGE_BYTES)
    throw wrong(line, 'its text has more than 1 MB; write the rest to a file and name its path')
  return text
}

function parsed(bytes: Buffer, line: number): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw wrong(line, 'it is not UTF-8')
  }
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    throw wrong(line, `it is not JSON (${error instanceof Error ? error.message.slice(0, 200) : error})`)
  }
}

function blockText(block: z.infer<typeof Block>, line: number): string {
  if (block.type === 'text' && typeof block.text === 'string') return block.text
  if (block.type === 'image')
    throw wrong(
      line,
      'images are not taken from stdin: write the image to a file and name it in the text, as @shot.png',
    )
  throw wrong(line, `a block of the type ${JSON.stringify(block.type).slice(0, 80)} is not text`)
}

const SHAPE = '{"type":"user","message":{"role":"user","content":"what to do"}}'

function wrong(line: number, why: string): WrongLine {
  return new WrongLine(`Line ${line} of stdin is not a message: ${why}. Each line is like ${SHAPE}`)
}
