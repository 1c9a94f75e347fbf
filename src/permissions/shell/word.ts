/** A word of a command line, as far as it can be known without running anything. */
export interface Word {
  /** As it stands in the line. */
  readonly raw: string
  /** What the program gets: literal or plainly quoted. Missing where only a run decides. */
  readonly text?: string
  /** Stands for the names of files: the pattern, without its quotes. */
  readonly glob?: string
  /** `"$f"` of a loop around it: what it goes through, each literal or a pattern of names. */
  readonly loop?: readonly Word[]
  /** `"$(…)"` and nothing else: one word, whatever it says. */
  readonly isScript?: boolean
  /** Literal but for `$?`: a text with a number in it. */
  readonly isStatus?: boolean
}

export interface Assignment {
  readonly name: string
  readonly value: Word
}

export interface Redirection {
  readonly kind: 'read' | 'write'
  readonly target: Word
}

/** What is known of a word's beginning is not enough: it is what a run makes of it. */
export const OPEN_WORD: Word = { raw: '…' }

export function literal(text: string): Word {
  return { raw: text, text }
}
