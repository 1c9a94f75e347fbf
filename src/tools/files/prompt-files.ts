import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PathRefused } from '../../permissions/paths/refused.ts'
import type { Spot } from '../../permissions/paths/spot.ts'
import { counted } from '../../team/wording.ts'
import { refuseReading, STATE_FOLDERS } from '../paths/file-access.ts'
import { openForReading } from '../paths/open-for-reading.ts'
import { shownName } from '../paths/shown-name.ts'
import type { ToolContext } from '../tool.ts'
import { pathsIn } from './prompt-paths.ts'
import { PAGE_LINES, readRegular } from './read-file.ts'

/** A file, or the list of a folder, that a prompt names behind `@`. */
export interface NamedFile {
  /** Its path as models know it. */
  readonly name: string
  /** How much of it this is, in words: `12 lines`. */
  readonly about: string
  readonly text: string
}

export interface PromptFiles {
  readonly files: readonly NamedFile[]
  /** Why others are not attached. */
  readonly notes: readonly string[]
}

/** Of one prompt. */
const MAX_FILES = 20
const MAX_NOTES = 5
const MAX_ENTRIES = 500

/**
 * What a prompt names behind `@`, read as a call of `read_file` by the same agent would: not outside of the workspace, not where a rule
 * denies it, and of a long file its first page. Images are attached elsewhere. A name of nothing that exists stays text.
 */
export async function filesIn(typed: string, context: ToolContext, cwd?: string): Promise<PromptFiles> {
  const files = new Map<string, NamedFile>()
  const notes: string[] = []
  for (const { name, path, isExplicit } of pathsIn(typed, { root: context.root, cwd })) {
    if (!isExplicit) continue
    try {
      using spot = openForReading(path, context)
      if (files.has(spot.real)) continue
      if (files.size === MAX_FILES) throw new PathRefused(`A prompt attaches ${MAX_FILES} files at most.`)
      const file = await readNamed(spot, context)
      if (file) files.set(spot.real, { name: shownName(spot.shown), ...file })
    } catch (error) {
      if (!(error instanceof PathRefused)) throw error
      notes.push(`${shownName(name)} is not attached: ${error.message}`)
    }
  }
  return { files: [...files.values()], notes: notes.slice(0, MAX_NOTES) }
}

/** Undefined for an image. */
async function readNamed(
  spot: Spot & { readonly shown: string },
  context: ToolContext,
): Promise<Omit<NamedFile, 'name'> | undefined> {
  if (spot.stats.isDirectory()) return listOf(spot, context)
  if (!spot.stats.isFile()) throw new PathRefused(`${spot.shown} is a pipe, socket or device, not a file.`)
  const { text, images, about } = await readRegular(spot, { offset: 1, limit: PAGE_LINES }, context)
  return images ? undefined : { about, text }
}

/** What is in a folder, without what the agent may not read. */
function listOf(folder: Spot, context: ToolContext): Omit<NamedFile, 'name'> {
  const names = readdirSync(folder.at, { withFileTypes: true })
    .filter(({ name }) => !STATE_FOLDERS.includes(name))
    .filter(({ name }) => refuseReading(join(folder.real, name), context) === undefined)
    .map((entry) => shownName(entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort()
  const more = names.length - MAX_ENTRIES
  const shown = more > 0 ? [...names.slice(0, MAX_ENTRIES), `[${more} more; use glob]`] : names
  return {
    about: counted(names.length, 'entry', 'entries'),
    text: names.length === 0 ? 'The folder is empty.' : shown.join('\n'),
  }
}
