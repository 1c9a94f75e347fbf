import { join } from 'node:path'
import { codeOf, type Disk } from '../../stores/files/disk.ts'
import { nameKey } from '../../team/name.ts'
import { memberNamed, type TeamState } from '../../team/state.ts'

/** Inbox files with lines for a name that no member has: they are not read. */
export function unclaimedMail(disk: Disk, inbox: string, state: TeamState): string[] {
  return list(disk, inbox).flatMap((file) => {
    const name = /^([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.jsonl$/.exec(file)?.[1]
    if (name === undefined || nameKey(name) === 'user' || memberNamed(state, name)) return []
    const path = join(inbox, file)
    if (!disk.statSync(path)?.size) return []
    return [`${path}: this team has no member ${name}, so the file is not read until ${name} joins`]
  })
}

function list(disk: Disk, folder: string): string[] {
  try {
    return disk.readdirSync(folder).sort()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}
