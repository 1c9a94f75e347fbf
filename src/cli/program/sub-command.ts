import type { Command } from 'commander'
import type { Call } from './context.ts'

/** One file per sub-command: what it takes, an example that works, and what it does. */
export interface SubCommand<Options, Arguments extends readonly (string | undefined | string[])[] = []> {
  /** Shown by `--help`. */
  readonly example: string
  /**
   * Only commands that write have it: what an agent uses instead. Agents act through their tools, where the runtime
   * knows who they are; on the command line they could act under any name.
   */
  instead?(options: Options): string | undefined
  define(command: Command): void
  /** Resolves to an exit code; undefined is 0. */
  run(call: Call, options: Options, ...args: Arguments): Promise<number> | Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: what a command takes is known to itself and to commander only
export type AnySubCommand = SubCommand<any, any>
