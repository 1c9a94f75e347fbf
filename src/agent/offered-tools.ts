import type { Tool } from '../tools/tool.ts'
import type { ToolSource } from '../tools/tool-source.ts'

export interface OfferedToolsOptions {
  readonly source: ToolSource | undefined
  /** Whether the agent may know of this tool. */
  has(tool: Tool): boolean
  /** Whether it has this tool of the source. */
  hasSourced(tool: Tool): boolean
  /** Adds what happens around each call of the agent. */
  wrap(tools: readonly Tool[]): readonly Tool[]
}

/** The tools of one agent: those it always has, and those of the source as they are now. */
export interface OfferedTools {
  /** The same array until the source changes. */
  readonly tools: readonly Tool[]
  readonly ready?: ((signal: AbortSignal) => Promise<void>) | undefined
}

export function offeredTools(
  own: readonly Tool[],
  { source, has, hasSourced, wrap }: OfferedToolsOptions,
): OfferedTools {
  const always = wrap(own.filter(has))
  if (!source) return { tools: always }
  const names = new Set(own.map(({ name }) => name.toLowerCase()))
  let seen: readonly Tool[] | undefined
  let all = always
  return {
    get tools() {
      if (seen !== source.tools) {
        seen = source.tools
        // A tool from elsewhere never takes the place of one that the agent has.
        const added = seen.filter((tool) => !names.has(tool.name.toLowerCase()) && has(tool) && hasSourced(tool))
        all = added.length === 0 ? always : [...always, ...wrap(added)]
      }
      return all
    },
    ready: (signal) => source.ready(signal),
  }
}
