import { advance, START } from '../../journal/log/cursor.ts'
import type { Store } from '../../journal/log/store.ts'
import type { TimedLine } from '../wire/live-line.ts'
import { type Speaker, transcriptReader } from '../wire/transcript-line.ts'

/** An agent's conversation in its transcript. */
export interface Conversation extends Speaker {
  readonly team: string
}

/** The last `most` lines of a conversation, as they were written while it took place. */
export async function readHistory(store: Store, at: Conversation, most: number): Promise<TimedLine[]> {
  const log = await store.log(`${at.team}/transcripts/${at.agent}`)
  const lines: TimedLine[] = []
  const lineOf = transcriptReader(at)
  try {
    let cursor = START
    for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor)) {
      for (const recorded of batch) {
        cursor = advance(cursor, recorded)
        const line = lineOf(recorded.record)
        if (line) lines.push(line)
      }
      if (lines.length > most) lines.splice(0, lines.length - most)
    }
  } finally {
    await log.close()
  }
  return lines
}
