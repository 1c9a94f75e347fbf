import { MESSAGE_BYTES } from '../../team/message.ts'
import type { Context } from './context.ts'
import { Refused } from './failure.ts'

export type StdinText = { readonly text: string } | { readonly problem: 'silent' | 'too_large' | 'not_utf8' }

/**
 * All of stdin, without the newline that `echo` puts behind it, up to the size of a message. With `silenceMs` it stops
 * waiting for a pipe that sends nothing for so long. `interrupted` is the message of the error when the command is ended.
 */
export async function readStdin(
  { stdin, signal }: Context,
  { interrupted, silenceMs }: { readonly interrupted: string; readonly silenceMs?: number | undefined },
): Promise<StdinText> {
  const chunks: Buffer[] = []
  let size = 0
  const read = async () => {
    for await (const chunk of stdin) {
      chunks.push(Buffer.from(chunk))
      size += chunks.at(-1)!.length
      if (size > MESSAGE_BYTES + 1) return 'too_large'
    }
    return undefined
  }
  const ended = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(new Refused({ code: 'interrupted', message: interrupted }))
    signal.addEventListener('abort', stop, { signal: ended.signal })
  })
  let timer: NodeJS.Timeout | undefined
  const silent = new Promise<'silent'>((resolve) => {
    if (silenceMs !== undefined) timer = setInterval(() => size === 0 && resolve('silent'), silenceMs)
  })
  try {
    const problem = await Promise.race([read(), aborted, silent])
    if (problem !== undefined) return { problem }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).replace(/\r?\n$/, '') }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { problem: 'not_utf8' }
    throw error
  } finally {
    clearInterval(timer)
    ended.abort()
  }
}
