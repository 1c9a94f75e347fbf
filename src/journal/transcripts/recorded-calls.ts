import type { LogRecord } from '../log/store.ts'

/** A part of an answer as a transcript keeps it. */
interface RecordedPart {
  readonly type?: unknown
  readonly toolCallId?: unknown
  readonly toolName?: unknown
  readonly input?: unknown
}

/** So many of the last calls are named. */
const MOST_CALLS = 30
/** Characters of the input of a call. */
const INPUT = 160

/** The tool calls in these records of a transcript, in words, the last ones if there are many. */
export function callsIn(records: readonly LogRecord[], most = MOST_CALLS): string[] {
  const ended = new Map<string, string>()
  const calls: { readonly id: string; readonly words: string }[] = []
  for (const { assistant, result } of records) {
    if (isObject(assistant)) {
      const { content } = assistant as { content?: unknown }
      for (const part of Array.isArray(content) ? (content as RecordedPart[]) : [])
        if (part.type === 'tool-call')
          calls.push({
            id: String(part.toolCallId),
            words: `${part.toolName} ${oneLine(JSON.stringify(part.input) ?? '')}`,
          })
    }
    if (isObject(result) && 'toolCallId' in result) {
      const { output, toolName } = result as { output?: { type?: string }; toolName?: unknown }
      const id = String(result.toolCallId)
      ended.set(id, output?.type === 'error-text' ? 'it ended with an error' : 'it ended')
      // The line with the call itself may be the damaged one: that it was made is known by its result.
      if (!calls.some((call) => call.id === id))
        calls.push({ id, words: `${oneLine(String(toolName))} with an input that cannot be read any more` })
    }
  }
  const named = calls.slice(-most).map(({ id, words }) => `${words} (${ended.get(id) ?? 'its end is not on record'})`)
  return calls.length > most ? [`(${calls.length - most} earlier calls are left out)`, ...named] : named
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** An agent wrote it: it stays on its line and begins no element of ours. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('<', '&lt;')
  return line.length > INPUT ? `${line.slice(0, INPUT)}…` : line
}
