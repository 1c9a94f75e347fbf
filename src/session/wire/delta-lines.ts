import type { SessionEvent } from '../../agent/session-event.ts'
import { cleanText } from '../../redaction/clean-value.ts'
import type { RedactingStream, Redactor } from '../../redaction/redactor.ts'

/** Text of models while it streams, in one piece for each agent and round of the event loop. */
export interface DeltaLines {
  /** Everything of this agent that can be shown is written, and its answer has no more text. */
  end(agent: string): void
  add(event: Extract<SessionEvent, { type: 'text' | 'reasoning' }>): void
  /** Writes what was collected, before another line. */
  flush(): void
}

export interface Delta {
  readonly agent: string
  readonly parent: string | null
  readonly kind: 'text' | 'thinking'
  readonly text: string
}

interface Streaming {
  readonly agent: string
  readonly parent: string | null
  readonly kind: Delta['kind']
  readonly redacting: RedactingStream
  text: string
}

export function createDeltaLines(redactor: Redactor, write: (delta: Delta) => void): DeltaLines {
  const streaming = new Map<string, Streaming>()
  let timer: NodeJS.Immediate | undefined

  function flush(): void {
    clearImmediate(timer)
    timer = undefined
    for (const one of streaming.values()) {
      // Half of a surrogate pair is written with its other half.
      const end = /[\ud800-\udbff]$/.test(one.text) ? one.text.length - 1 : one.text.length
      const text = one.text.slice(0, end)
      one.text = one.text.slice(end)
      if (text !== '') write({ ...pick(one), text: cleanText(text) })
    }
  }

  function end(agent: string): void {
    const one = streaming.get(agent)
    if (!one) return
    streaming.delete(agent)
    const text = one.text + one.redacting.end()
    if (text !== '') write({ ...pick(one), text: cleanText(text) })
  }

  return {
    end,
    flush,
    add({ type, agent, delta, parent = null }) {
      const kind = type === 'text' ? 'text' : 'thinking'
      if (streaming.get(agent)?.kind !== kind) end(agent)
      const one = streaming.get(agent) ?? { agent, parent, kind, redacting: redactor.stream(), text: '' }
      streaming.set(agent, one)
      one.text += one.redacting.write(delta)
      if (one.text !== '') timer ??= setImmediate(flush)
    },
  }
}

function pick({ agent, parent, kind }: Streaming): Omit<Delta, 'text'> {
  return { agent, parent, kind }
}
