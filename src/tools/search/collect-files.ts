import { join, relative } from 'node:path'
import picomatch from 'picomatch'
import { openForReading } from '../paths/open-for-reading.ts'
import { walk } from '../paths/walk.ts'
import type { ToolContext } from '../tool.ts'
import { withinTime } from './within-time.ts'

/** The real paths of the files to search, in the order of names. */
export async function collectFiles(path: string, glob: string | undefined, context: ToolContext): Promise<string[]> {
  using start = openForReading(path, context)
  if (!start.stats.isDirectory()) return [start.real]
  // As everywhere where one searches: a pattern without a folder means the name, wherever the file is.
  const matches = glob === undefined ? () => true : picomatch(glob, { dot: true, basename: !glob.includes('/') })
  const found: string[] = []
  for await (const { folder, files } of walk(start, context, context.signal)) {
    const inside = relative(start.real, folder.real)
    const wanted = withinTime(() => files.filter((name) => matches(join(inside, name))), 1000)
    for (const name of wanted) found.push(join(folder.real, name))
  }
  return found
}
