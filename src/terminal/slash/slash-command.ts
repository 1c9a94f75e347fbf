import type { Host } from '../host.ts'

/** A command that is typed as `/name`. */
export interface SlashCommand {
  readonly name: string
  /** Its arguments, for the help. */
  readonly args: string
  readonly about: string
  run(host: Host, rest: string): Promise<void> | void
}
