import { dirname, join } from 'node:path'
import type { LogName, Store } from '../ports/store.ts'
import { codeOf, type Disk } from '../stores/files/disk.ts'
import { syncFolders } from '../stores/files/folders.ts'
import { archiveName } from '../stores/files/repair.ts'
import { nameKey } from '../team/name.ts'
import { memberNamed, type TeamState } from '../team/state.ts'

/**
 * Transcripts outlive decisions that a damaged journal has lost. The next generation of an agent has to be newer than
 * any that wrote to its transcript, or that conversation counts as taken over by another process for ever: raises the
 * generations in `state`. Returns the names of agents that have a transcript and that `state` does not know at all.
 */
export async function alignGenerations(
  store: Store,
  disk: Disk,
  { team, journal, state }: { readonly team: string; readonly journal: string; readonly state: TeamState },
): Promise<string[]> {
  const unknown: string[] = []
  for (const name of transcriptNames(disk, journal)) {
    const member = memberNamed(state, name)
    if (!member) unknown.push(name)
    else {
      const generation = Math.max(member.generation, await newestGeneration(store, `${team}/transcripts/${name}`))
      state.members.set(nameKey(name), { ...member, generation })
    }
  }
  return unknown
}

/** Keeps these transcripts beside the others, where no new agent of the same name goes on with them. */
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
