import { basename } from 'node:path'
import type { Store } from '../../journal/log/store.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { deliveredMail } from '../../journal/transcripts/delivered-mail.ts'
import { unreadOf } from '../../team/state.ts'
import type { Outputs } from '../../tools/tool.ts'
import type { TranscriptState } from '../transcript/transcript-fold.ts'

/**
 * Writes the files again that hold the whole of a long message, where they are missing or are not what was written: on
 * another machine, after a power cut, or because another program changed them. The journals of its teams keep what was
 * sent.
 */
export async function restoreMailFiles(
  store: Store,
  { files }: Pick<TranscriptState, 'files'>,
  { outputs, name, teams }: { outputs: Outputs; name: string; teams: readonly string[] },
): Promise<void> {
  const missing = new Map<string, string[]>()
  for (const { path, message, sum } of files.values()) {
    const there = outputs.sumOf(path)
    const isWhole = there !== undefined && (sum === undefined || there === sum)
    if (!isWhole) missing.set(message, [...(missing.get(message) ?? []), path])
  }
  for (const team of missing.size > 0 ? teams : []) {
    const log = await store.log(`${team}/journal`)
    try {
      const read = await deliveredMail(log, name, (id) => missing.has(id))
      for (const [id, { unread }] of read) write(id, unread.message.content)
    } finally {
      await log.close()
    }
    await using handle = await openTeam(store, team)
    await handle.refresh()
    const waiting = unreadOf(handle.state, name).filter(({ message }) => missing.has(message.id))
    for (const { id, content } of await handle.loadLongTexts(waiting.map(({ message }) => message))) write(id, content)
  }

  function write(id: string, content: string): void {
    for (const path of missing.get(id) ?? []) outputs.restore(basename(path), content)
  }
}
