import { applyTurn, emptyTranscript } from '../../agent/transcript/transcript-fold.ts'
import { advance, START } from '../../journal/log/cursor.ts'
import type { LogName, Store } from '../../journal/log/store.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { endRecordedGroup, type ProcessGroup } from '../../permissions/processes/process-group.ts'
import { roster } from '../../team/state.ts'

/**
 * Ends what agents of a killed process left running: background jobs, MCP servers, other vendors' programs. A session that is
 * resumed does it; before a team is deleted it is the last moment at which their numbers can be read.
 */
export async function endLeftProcesses(store: Store, { name, state }: TeamHandle): Promise<void> {
  const agents = roster(state).filter(({ kind }) => kind === 'agent')
  for (const agent of agents) {
    // A transcript that cannot be read must not keep the team from being deleted.
    const groups = await recordedGroups(store, `${name}/transcripts/${agent.name}`).catch(() => [])
    await Promise.all(groups.map(endRecordedGroup))
  }
}

async function recordedGroups(store: Store, name: LogName): Promise<ProcessGroup[]> {
  const log = await store.log(name)
  try {
    const transcript = emptyTranscript()
    let cursor = START
    for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor))
      for (const recorded of batch) {
        cursor = advance(cursor, recorded)
        applyTurn(transcript, recorded.record)
      }
    return [...transcript.running.values()]
  } finally {
    await log.close()
  }
}
