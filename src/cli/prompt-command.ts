import type { Call } from './program/context.ts'
import { EXIT } from './program/failure.ts'
import type { SubCommand } from './program/sub-command.ts'
import type { RunOptions } from './run/options.ts'
import { promptOf, run } from './run/run.ts'

/** `deskmates`, `deskmates 'what to do'` and `deskmates -p …`: the conversation on a terminal, else one prompt and one answer. */
export const promptCommand: SubCommand<RunOptions, [words: string[]]> = {
  ...run,
  async run(call, options, words) {
    if (!isForPerson(call, options)) return (await run.run(call, options, words)) ?? EXIT.done
    const { interactive } = await import('./interactive/interactive.ts')
    return interactive(call, options, words.length === 0 ? undefined : promptOf(options, words))
  },
}

/** A person sits at the terminal, and nothing was said about printing. */
function isForPerson({ isTerminal, isStdinTerminal, globals }: Call, options: RunOptions): boolean {
  const { print, outputFormat, verbose } = options
  return isTerminal && isStdinTerminal === true && print === undefined && !globals.json && !outputFormat && !verbose
}
