import { join } from 'node:path'
import type { Fault } from '../../../journal/log/store.ts'
import { codeOf, type Disk } from '../disk.ts'
import { repairCommand } from './repair-command.ts'

/**
 * A journal is only ever appended to, and is synced before a view shows it. So a journal that is shorter than its views say has
 * lost its end, and writing on would assign numbers and names a second time. The view is read first: until the journal is
 * read, other processes may make it longer, never shorter.
 */
export function lostEnd(disk: Disk, folder: string): Fault | undefined {
  const shown = viewsWrittenTo(disk, folder)
  if (shown <= 0) return undefined
  const path = join(folder, 'journal.jsonl')
  const offset = disk.statSync(path)?.size ?? 0
  return shown > offset ? cutOff(path, offset, shown, lineAt(disk, path, offset)) : undefined
}

export function cutOff(path: string, offset: number, shown: number, line: number): Fault & { kind: 'cut off' } {
  const what = offset === 0 ? 'the journal is empty or gone' : 'the journal ends here'
  const detail = `${what}, but its views have shown it up to byte ${shown}: its end was lost`
  const advice = `Restore it from a copy, or continue without it: ${repairCommand(path)}`
  return { kind: 'cut off', path, line, offset, detail, advice }
}

/** How far in the journal `config.json` says that the views are complete; 0 if it does not say. */
export function viewsWrittenTo(disk: Disk, folder: string): number {
  let text: string
  try {
    text = disk.readFileSync(join(folder, 'config.json')).toString()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return 0
  }
  try {
    const { seq } = JSON.parse(text)
    return Number.isSafeInteger(seq) ? seq : 0
  } catch {
    // A broken view says nothing; the next writer renames it.
    return 0
  }
}

/** Reads the whole file, so it is called only for an error. */
function lineAt(disk: Disk, path: string, size: number): number {
  return size === 0 ? 1 : disk.readFileSync(path).toString('latin1').split('\n').length
}
