import { safeJson } from '../../redaction/plain-text.ts'
import type { Call, Context, Output } from '../program/context.ts'
import { OutputClosed } from '../program/failure.ts'
import { plain } from './format.ts'
import { wrapped } from './wrap.ts'

/** Data. Resolves when the text is handed over completely; a reader that is gone is an error. */
export async function print(context: Context, text: string): Promise<void> {
  await printAsIs(context, context.isTerminal ? wrapped(text, context.stdout.columns) : text)
}

/** Text whose lines are not ours to break: the answer of a model may be a program. */
export async function printAsIs({ stdout }: Context, text: string): Promise<void> {
  if (text !== '') await write(stdout, text)
}

export function printJson(context: Context, value: unknown): Promise<void> {
  return printAsIs(context, `${safeJson(value)}\n`)
}

/** An array with one element per line: readable, streamable, still one JSON value. */
export async function printJsonArray(context: Context, values: readonly unknown[]): Promise<void> {
  if (values.length === 0) return printAsIs(context, '[]\n')
  for (const [i, value] of values.entries()) {
    const end = i === values.length - 1 ? '\n]\n' : ''
    await printAsIs(context, `${i === 0 ? '[\n' : ',\n'}${safeJson(value)}${end}`)
  }
}

/** Talk for people; programs that asked for JSON do not hear it. */
export async function say(call: Call, text: string): Promise<void> {
  if (!call.globals.json) await talk(call, `${plain(text)}\n`)
}

/** Talk that only somebody at a terminal can use. */
export async function hint(call: Call, text: string): Promise<void> {
  if (call.isTerminal) await say(call, text)
}

/** Something is wrong and the command went on. */
export async function warn(call: Call, message: string): Promise<void> {
  if (call.globals.json) await talkJson(call, { warning: { message } })
  else await talk(call, `deskmates: ${plain(message)}\n`)
}

/** Nobody listening to talk is no reason to fail. */
export async function talk({ stderr, isStderrTerminal }: Context, text: string): Promise<void> {
  await write(stderr, isStderrTerminal ? wrapped(text, stderr.columns) : text).catch(() => {})
}

/** The same for programs: what they have to hear besides their data. */
export async function talkJson({ stderr }: Context, value: unknown): Promise<void> {
  await write(stderr, `${safeJson(value)}\n`).catch(() => {})
}

/** All that was printed is out, also what was held back because it might have been a secret; or why it is not. */
export async function printed({ stdout }: Context): Promise<void> {
  await stdout.flush?.().catch((error) => {
    throw error instanceof OutputClosed ? error : new OutputClosed(error)
  })
}

function write(output: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => (error ? reject(new OutputClosed(error)) : resolve()))
  })
}
