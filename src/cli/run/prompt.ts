import { MESSAGE_BYTES } from '../../team/message.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { Misused, Refused } from '../program/failure.ts'

/** With a prompt on the command line, a pipe that stays silent this long is ignored. */
const STDIN_SILENCE_MS = 3000

/** The prompt of the command line, then the text from stdin; undefined where both are empty. */
export async function readPrompt(call: Call, words: string | undefined): Promise<string | undefined> {
  const piped = call.isStdinTerminal ? '' : await readStdin(call, words !== undefined)
  const prompt = [words ?? '', piped].filter((text) => text.trim() !== '').join('\n\n')
  if (Buffer.byteLength(prompt) > MESSAGE_BYTES)
    throw new Misused('A prompt has at most 1 MB. Write the rest to a file and name its path.')
  return prompt === '' ? undefined : prompt
}

async function readStdin(call: Call, isOptional: boolean): Promise<string> {
  const { stdin, signal } = call
  const chunks: Buffer[] = []
  let size = 0
  const read = async () => {
    for await (const chunk of stdin) {
      chunks.push(Buffer.from(chunk))
      size += chunks.at(-1)!.length
      if (size > MESSAGE_BYTES + 1) return
    }
  }
  const ended = new AbortController()
  const interrupted = new Promise<never>((_, reject) => {
    const stop = () => reject(new Refused({ code: 'interrupted', message: 'Nothing was asked.' }))
    signal.addEventListener('abort', stop, { signal: ended.signal })
  })
  let timer: NodeJS.Timeout | undefined
  const silent = new Promise<'silent'>((resolve) => {
    if (isOptional) timer = setInterval(() => size === 0 && resolve('silent'), STDIN_SILENCE_MS)
  })
  try {
    const what = await Promise.race([read(), interrupted, silent])
    if (what === 'silent') {
      await warn(call, 'stdin stayed empty and is ignored. Close it with: < /dev/null')
      return ''
    }
  } finally {
    clearInterval(timer)
    ended.abort()
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).replace(/\r?\n$/, '')
  } catch {
    throw new Misused('The text from stdin is not UTF-8. Name the path of a file instead.')
  }
}
