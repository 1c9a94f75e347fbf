import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { structuredAnswerText, wrongAnswerText } from '../../prompts/structured-answer.ts'
import type { SessionOptions } from '../../session/session-options.ts'
import { type AnswerSchema, answerSchema } from '../../tools/json-schema/answer-schema.ts'
import { Misused } from '../program/failure.ts'

const MAX_FILE_BYTES = 64 * 1024

/** The schema of `--json-schema SCHEMA`: JSON, or the path of a file that holds it. */
export function answerSchemaOption(given: string | undefined, cwd: string): AnswerSchema | undefined {
  if (given === undefined) return undefined
  const isJson = given.trimStart().startsWith('{')
  const read = answerSchema(isJson ? given : readSchema(resolve(cwd, given)))
  if ('why' in read)
    throw new Misused(
      `--json-schema: the schema cannot be used: ${read.why}. Write one like {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}`,
    )
  return read
}

/** What a session needs to know of it. */
export function structuredAnswers(
  schema: AnswerSchema | undefined,
  append: string | undefined,
): Pick<SessionOptions, 'appendSystemPrompt' | 'checkAnswer'> {
  if (!schema) return { appendSystemPrompt: append }
  return {
    appendSystemPrompt: [append, structuredAnswerText(schema.schema)].filter(Boolean).join('\n\n'),
    checkAnswer(text) {
      const read = schema.read(text)
      return 'fault' in read ? wrongAnswerText(read.fault) : undefined
    },
  }
}

function readSchema(path: string): string {
  try {
    const stats = statSync(path)
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) throw new Error('it is not a file of at most 64 KB')
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Misused(
      `--json-schema: ${path} cannot be read (${error instanceof Error ? error.message : error}). Give the schema itself as JSON, or the path of its file.`,
    )
  }
}
