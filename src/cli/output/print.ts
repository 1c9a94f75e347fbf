import { safeJson } from '../../redaction/plain-text.ts'
import type { Call, Context, Output } from '../program/context.ts'
import { OutputClosed } from '../program/failure.ts'
import { plain } from './format.ts'
import { wrapped } from './wrap.ts'

/** Prints data. Resolves when all of it is written; a closed reader is an error. */
export async function print(context: Context, text: string): Promise<void> {
  await printAsIs(context, context.isTerminal ? wrapped(text, context.stdout.columns) : text)
}

/** Prints without wrapping lines: the answer of a model may be a program. */
export async function printAsIs({ stdout }: Context, text: string): Promise<void> {
  if (text !== '') await write(stdout, text)
}

export function printJson(context: Context, value: unknown): Promise<void> {
  return printAsIs(context, `${safeJson(value)}\n`)
}

/** An array with one element per line: readable, streamable, still one JSON value. */
export async function printJsonArray(context: Context, values: readonly unknown[]): Promise<void> {
  if (values.length === 0) return printAsIs(context, '[]\n')
  let lines = '[\n'
  for (const [i, value] of values.entries()) {
    lines += `${i === 0 ? '' : ',\n'}${safeJson(value)}`
    if (lines.length < WRITE_SIZE) continue
    await printAsIs(context, lines)
    lines = ''
  }
  await printAsIs(context, `${lines}\n]\n`)
}

/** Characters per write: the redactor looks again at the end of what it wrote last, so many small writes cost more. */
const WRITE_SIZE = 64 * 1024

/** A message for people on stderr; left out with --json. */
export async function printMessage(call: Call, text: string): Promise<void> {
  if (!call.globals.json) await printStderr(call, `${plain(text)}\n`)
}

/** A message for a person at a terminal. */
export async function hint(call: Call, text: string): Promise<void> {
  if (call.isTerminal) await printMessage(call, text)
}

/** A problem that did not stop the command. */
export async function warn(call: Call, message: string): Promise<void> {
  if (call.globals.json) await printStderrJson(call, { warning: { message } })
  else await printStderr(call, `deskmates: ${plain(message)}\n`)
}

/** A closed stderr does not fail the command. */
export async function printStderr({ stderr, isStderrTerminal }: Context, text: string): Promise<void> {
  await write(stderr, isStderrTerminal ? wrapped(text, stderr.columns) : text).catch(() => {})
}

/** The same as JSON, for programs. */
export async function printStderrJson({ stderr }: Context, value: unknown): Promise<void> {
  await write(stderr, `${safeJson(value)}\n`).catch(() => {})
}

/** Resolves when everything printed is written, including text held back by the redactor. */
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
