import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { Tool, ToolContext, ToolResult } from '../tool.ts'
import { collectFiles } from './collect-files.ts'
import { compile } from './compile.ts'
import description from './grep.md'
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

export function createGrep(settings: GrepSettings = {}): Tool {
  const ripgrep = 'ripgrep' in settings ? async () => settings.ripgrep : findRipgrep
  return defineTool({
    name: 'grep',
    description,
    input: Input as z.ZodType<GrepInput>,
    onlyLooks: true,
    action: ({ path }) => ({ kind: 'read', tool: 'grep', path }),
    run: async (input, world): Promise<ToolResult> => grep(input, world, await ripgrep([world.root, ...world.folders])),
  })
}

/**
 * Which files there are is decided here, and every line that is shown was read here, by descriptor. ripgrep only says
 * which files cannot match, so that results are the same without it.
 */
async function grep(input: GrepInput, world: ToolContext, ripgrep: string | undefined): Promise<ToolResult> {
  const pattern = compile(input.pattern, input.ignore_case)
  const files = await collectFiles(input.path, input.glob, world)
  const likely = (ripgrep && (await ripgrepFilter(ripgrep, pattern, files, world))) || files
  const found = await search(likely, pattern, input, world)
  return { text: await world.outputs.fit(showFound(found, input, files.length), 'grep') }
}
