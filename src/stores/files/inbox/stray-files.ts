import { dirname, join } from 'node:path'
import { isName } from '../../../team/name.ts'
import { type Disk, ifMissing } from '../disk.ts'

/** A file that may hold mail of the member `called`, judged by the name of the file. */
export interface StrayFile {
  readonly path: string
  readonly called: string
}

/** All files named like an inbox file: in the inbox folder, beside it (older layout), and in older folders. */
export function strayFiles(disk: Disk, inbox: string, oldFolders: readonly string[]): StrayFile[] {
  return [
    ...filesIn(disk, inbox, '.jsonl'),
    ...filesIn(disk, dirname(inbox), '_inbox.jsonl'),
    ...oldFolders.flatMap((folder) => filesIn(disk, folder, '.jsonl')),
  ]
}

function filesIn(disk: Disk, folder: string, end: string): StrayFile[] {
  return ifMissing([], () => disk.readdirSync(folder))
    .filter((name) => name.endsWith(end))
    .map((name) => ({ path: join(folder, name), called: name.slice(0, -end.length) }))
    .filter(({ called }) => isName(called))
}
