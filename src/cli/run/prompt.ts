import { MESSAGE_BYTES } from '../../team/message.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { Misused } from '../program/failure.ts'
import { isPrompt, unknownWord } from '../program/interpret-arguments.ts'
import { readStdin } from '../program/read-stdin.ts'
import type { RunOptions } from './options.ts'

/** With a prompt on the command line, a pipe that stays silent this long is ignored. */
const STDIN_SILENCE_MS = 3000

const TOO_LARGE = 'A prompt has at most 1 MB. Write the rest to a file and name its path.'

/** Options of `-p` that contradict each other, each with what to do. */
export function requireConsistent(call: Call, options: RunOptions, words: readonly string[]): void {
  const { inputFormat, outputFormat, includePartialMessages, print } = options
  // A command id promises that a repeated command has one effect; a repeated prompt is a new turn.
  if (call.globals.commandId !== undefined)
    throw new Misused('--command-id does not work with -p. To resume an interrupted run: deskmates -c -p')
  if (call.globals.json && outputFormat === 'text')
    throw new Misused('--json and --output-format text contradict each other. Use one of them.')
  const isStream = outputFormat === 'stream-json'
  if (includePartialMessages && !isStream)
    throw new Misused('--include-partial-messages works with --output-format stream-json only. Add that.')
  if (inputFormat !== 'stream-json') return
  if (!isStream) throw new Misused('--input-format stream-json works with --output-format stream-json only. Add that.')
  if (words.length > 0 || typeof print === 'string')
    throw new Misused(
      '--input-format stream-json reads every prompt from stdin. Leave out the one on the command line.',
    )
}

/** The prompt of the command line, then the text from stdin; undefined where both are empty. */
export async function readPrompt(call: Call, words: string | undefined): Promise<string | undefined> {
  const piped = call.isStdinTerminal ? '' : await readPiped(call, words !== undefined)
  const prompt = [words ?? '', piped].filter((text) => text.trim() !== '').join('\n\n')
  if (Buffer.byteLength(prompt) > MESSAGE_BYTES) throw new Misused(TOO_LARGE)
  return prompt === '' ? undefined : prompt
}

async function readPiped(call: Call, isOptional: boolean): Promise<string> {
  const options = { interrupted: 'Nothing was asked.', silenceMs: isOptional ? STDIN_SILENCE_MS : undefined }
  const read = await readStdin(call, options)
  if ('text' in read) return read.text
  if (read.problem === 'too_large') throw new Misused(TOO_LARGE)
  if (read.problem === 'not_utf8')
    throw new Misused('The text from stdin is not UTF-8. Name the path of a file instead.')
  await warn(call, 'stdin stayed empty and is ignored. Close it with: < /dev/null')
  return ''
}

/** The prompt on the command line, with or without `-p` in front of it; undefined where it can only come from stdin. */
export function promptOf({ print, ...options }: RunOptions, words: readonly string[]): string | undefined {
  const all = typeof print === 'string' ? [print, ...words] : words
  if (all.length > 1)
    throw new Misused(
      `There are ${all.length} prompts: ${all.map((word) => JSON.stringify(word)).join(' and ')}. Quote the whole prompt.`,
    )
  if (print !== undefined) return all[0]
  const [prompt] = all
  if (prompt === undefined) {
    const session = options.continue ? '-c ' : typeof options.resume === 'string' ? `-r ${options.resume} ` : ''
    throw new Misused(`No prompt given. Write: deskmates ${session}-p 'what to do'`)
  }
  if (!isPrompt(prompt)) throw unknownWord([prompt])
  return prompt
}
