import { lstatSync } from 'node:fs'
import { join, relative } from 'node:path'
import picomatch from 'picomatch'
import { z } from 'zod'
import { ALL_ROLES, defineOwnTool } from '../own-tool.ts'
import { show } from '../paths/file-access.ts'
import { openForReading } from '../paths/open-for-reading.ts'
import { shownName } from '../paths/shown-name.ts'
import { walk } from '../paths/walk.ts'
import type { ToolContext, ToolResult } from '../tool.ts'
import description from './glob.md'
import { withinTime } from './patterns.ts'

const MAX_FILES_SHOWN = 200

export const glob = defineOwnTool({
  name: 'glob',
  roles: ALL_ROLES,
  description,
  input: z.strictObject({
    pattern: z.string().min(1),
    path: z.string().min(1).default('.').describe('the folder to look in'),
  }),
  isReadOnly: true,
  action: ({ path }) => ({ kind: 'read', tool: 'glob', path }),
  async run({ pattern, path }, context): Promise<ToolResult> {
    // What comes before the first wildcard is a folder: only that is walked, also where git ignores it.
    const { base, glob } = picomatch.scan(pattern)
    using start = openForReading(base.startsWith('/') ? base : join(path, base), context)
    if (!start.stats.isDirectory()) return { text: shownName(start.shown) }
    const found = await find(start.real, glob || '*', context, walk(start, context, context.signal))
    if (found.length === 0) {
      const hint = pattern.includes('**') ? '' : ' To search sub-folders too, use **/ in the pattern.'
      return { text: `No file matches ${pattern} in ${start.shown}.${hint}` }
    }
    const newest = found.sort((a, b) => b.modified - a.modified).slice(0, MAX_FILES_SHOWN)
    const more = found.length - newest.length
    const note = more > 0 ? [`[${more} more, older; use a narrower pattern]`] : []
    return { text: [...newest.map(({ shown }) => shownName(shown)), ...note].join('\n') }
  },
})

interface Found {
  readonly shown: string
  readonly modified: number
}

async function find(
  start: string,
  glob: string,
  context: ToolContext,
  folders: ReturnType<typeof walk>,
): Promise<Found[]> {
  const matches = picomatch(glob, { dot: true })
  const found: Found[] = []
  for await (const { folder, files } of folders) {
    const inside = relative(start, folder.real)
    const wanted = withinTime(() => files.filter((name) => matches(join(inside, name))), 1000)
    for (const name of wanted)
      found.push({ shown: show(join(folder.real, name), context), modified: modifiedOf(`${folder.at}/${name}`) })
  }
  return found
}

function modifiedOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
