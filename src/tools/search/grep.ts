import { join, relative } from 'node:path'
import picomatch from 'picomatch'
import { z } from 'zod'
import { ALL_ROLES, defineOwnTool, type OwnTool } from '../own-tool.ts'
import { openForReading } from '../paths/open-for-reading.ts'
import { walk } from '../paths/walk.ts'
import type { ToolContext, ToolResult } from '../tool.ts'
import description from './grep.md'
import { compile, withinTime } from './patterns.ts'
import { findRipgrep, ripgrepFilter } from './ripgrep.ts'
import { search } from './search-files.ts'
import { showFound } from './show-found.ts'

const Input = z.strictObject({
  pattern: z.string().min(1),
  path: z.string().min(1).default('.').describe('a file or folder'),
  glob: z.string().min(1).optional().describe('only in files with such names'),
  mode: z.enum(['content', 'files', 'count']).default('content'),
  ignore_case: z.boolean().default(false),
  context: z.int().min(0).max(20).default(0),
  limit: z.int().min(1).max(2000).default(200),
})
export type GrepInput = z.infer<typeof Input>

export interface GrepSettings {
  /** The program that says which files are worth reading; undefined: none. Found by itself if left out. */
  readonly ripgrep?: string | undefined
}

export function createGrep(settings: GrepSettings = {}): OwnTool<'grep', GrepInput> {
  const ripgrep = 'ripgrep' in settings ? async () => settings.ripgrep : findRipgrep
  return defineOwnTool({
    name: 'grep',
    roles: ALL_ROLES,
    description,
    input: Input as z.ZodType<GrepInput>,
    isReadOnly: true,
    action: ({ path }) => ({ kind: 'read', tool: 'grep', path }),
    run: async (input, context): Promise<ToolResult> =>
      grepFiles(input, context, await ripgrep([context.root, ...context.folders])),
  })
}

export const grep = createGrep()

/**
 * Which files there are is decided here, and every line that is shown was read here, by descriptor. ripgrep only says
 * which files cannot match, so that results are the same without it.
 */
async function grepFiles(input: GrepInput, context: ToolContext, ripgrep: string | undefined): Promise<ToolResult> {
  const pattern = compile(input.pattern, input.ignore_case)
  const files = await collectFiles(input.path, input.glob, context)
  const likely = (ripgrep && (await ripgrepFilter(ripgrep, pattern, files, context))) || files
  const found = await search(likely, pattern, input, context)
  return context.outputs.fit(showFound(found, input, files.length), 'grep')
}

/** The real paths of the files to search, in the order of names. */
async function collectFiles(path: string, glob: string | undefined, context: ToolContext): Promise<string[]> {
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
