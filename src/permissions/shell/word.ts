/** A word of a command line, as far as it can be known without running anything. */
export interface Word {
  /** As it stands in the line. */
  readonly raw: string
  /** What the program gets. Missing where only a run decides: variables, substitutions, braces, `~`. */
  readonly text?: string
  /** Stands for the names of files: the pattern, without its quotes. */
  readonly glob?: string
}

export interface Assignment {
  readonly name: string
  readonly value: Word
}

/** A program with its words, or assignments alone. */
export interface SimpleCommand {
  readonly assignments: readonly Assignment[]
  readonly words: readonly Word[]
}

export interface Redirection {
  readonly kind: 'read' | 'write'
  readonly target: Word
}

/** Everything that a line would run, in order, also inside of substitutions, groups and loops. */
export interface ShellLine {
  readonly commands: readonly SimpleCommand[]
  readonly redirections: readonly Redirection[]
  /** Why there may be more in it than that; undefined if all of it was understood. */
  readonly unknown: string | undefined
}

/** What is known of a word's beginning is not enough: it is what a run makes of it. */
export const OPEN_WORD: Word = { raw: '…' }
