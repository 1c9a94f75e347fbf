import { dirname, join } from 'node:path'
import type { LogName, Store } from '../../journal/log/store.ts'
import { codeOf, type Disk } from '../../stores/files/disk.ts'
import { syncFolders } from '../../stores/files/folders.ts'
import { archiveName } from '../../stores/files/log/repair.ts'
import type { TeamEvent } from '../../team/event.ts'
import { raiseGeneration } from '../../team/members/decide-members.ts'
import { memberNamed, type TeamState } from '../../team/state.ts'

/** The newest generation that wrote to each transcript of a team, by the name of its agent. */
export async function newestGenerations(
  store: Store,
  disk: Disk,
  { team, journal }: { readonly team: string; readonly journal: string },
): Promise<ReadonlyMap<string, number>> {
  const newest = new Map<string, number>()
  for (const name of transcriptNames(disk, journal))
    newest.set(name, await newestGeneration(store, `${team}/transcripts/${name}`))
  return newest
}

/**
 * Transcripts outlive decisions that a damaged journal has lost. The next generation of an agent has to be newer than
 * any that wrote to its transcript, or that conversation counts as taken over by another process for ever. Returns the
 * events that raise the generations, and the agents that have a transcript and that `state` does not know at all.
 */
export function alignGenerations(
  state: TeamState,
  newest: ReadonlyMap<string, number>,
): { readonly events: readonly TeamEvent[]; readonly unknown: readonly string[] } {
  const events: TeamEvent[] = []
  const unknown: string[] = []
  for (const [name, generation] of newest) {
    const member = memberNamed(state, name)
    if (!member) unknown.push(name)
    else if (member.generation < generation)
      events.push(...raiseGeneration(state, member, generation, 'the journal was damaged and was repaired'))
  }
  return { events, unknown }
}

/** Renames these transcripts, so that no new agent of the same name continues them. */
export function archiveTranscripts(disk: Disk, journal: string, names: readonly string[]): void {
  const folder = folderOf(journal)
  for (const name of names) disk.renameSync(join(folder, `${name}.jsonl`), join(folder, archiveName(name)))
  if (names.length > 0) syncFolders(disk, [folder])
}

async function newestGeneration(store: Store, id: LogName): Promise<number> {
  const log = await store.log(id)
  let newest = 0
  try {
    for await (const batch of log.audit())
      for (const { record } of batch)
        if (typeof record?.generation === 'number') newest = Math.max(newest, record.generation)
  } finally {
    await log.close()
  }
  return newest
}

function transcriptNames(disk: Disk, journal: string): string[] {
  try {
    return disk
      .readdirSync(folderOf(journal))
      .flatMap((file) => /^([A-Za-z0-9][\w-]*)\.jsonl$/.exec(file)?.[1] ?? [])
      .sort()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function folderOf(journal: string): string {
  return join(dirname(journal), 'transcripts')
}
