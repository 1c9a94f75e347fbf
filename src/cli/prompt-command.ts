import type { Call } from './program/context.ts'
import type { SubCommand } from './program/sub-command.ts'
import { defineOptions, type RunOptions } from './run/options.ts'
import { promptOf } from './run/prompt.ts'

/** `deskmates`, `deskmates 'what to do'` and `deskmates -p …`: the conversation on a terminal, else one prompt and one answer. */
export const promptCommand: SubCommand<RunOptions, [words: string[]]> = {
  example: `$ deskmates 'why does the build fail?' --allowedTools 'bash(npm *)'
$ git diff | deskmates -p 'review this' --output-format json
$ deskmates -c -p 'and now fix it' --permission-mode acceptEdits`,
  instead: () => 'Use your Task tool.',
  define: defineOptions,
  // Loaded when it is known which one is meant: the conversation is painted before anything that runs agents.
  async run(call, options, words) {
    if (!isForPerson(call, options)) return (await import('./run/run.ts')).runPromptCommand(call, options, words)
    const { interactive } = await import('./interactive/interactive.ts')
    return interactive(call, options, words.length === 0 ? undefined : promptOf(options, words))
  },
}

/** A person sits at the terminal, and nothing was said about printing. */
function isForPerson({ isTerminal, isStdinTerminal, globals }: Call, options: RunOptions): boolean {
  const { print, outputFormat, verbose, inputFormat, includePartialMessages, jsonSchema } = options
  if (print !== undefined || outputFormat || verbose || inputFormat || includePartialMessages || jsonSchema)
    return false
  return isTerminal && isStdinTerminal === true && !globals.json
}
