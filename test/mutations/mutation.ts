/** One change of a source file. */
export interface Edit {
  /** The source, from the root of the repository. */
  readonly file: string
  /** Found exactly once in the source. */
  readonly old: string
  readonly new: string
}

/** A realistic mistake in the sources, and the test that must turn red with it. */
export interface Mutation extends Edit {
  readonly name: string
  /** What goes wrong when the code says this, in one sentence. */
  readonly mistake: string
  /** Further changes of the same or other sources, for a mistake that one change cannot make. */
  readonly also?: readonly Edit[]
  /** The test file that notices, from the root of the repository. */
  readonly test: string
  /** The beginning of the title of the test that fails. */
  readonly fails: string
}

export function editsOf({ file, old, new: replacement, also = [] }: Edit & Pick<Mutation, 'also'>): readonly Edit[] {
  return [{ file, old, new: replacement }, ...also]
}

/** The source with the mistake in it. Throws where the old text is not found exactly once. */
export function mutate(source: string, { file, old, new: replacement }: Edit): string {
  const parts = source.split(old)
  if (old === '' || parts.length !== 2)
    throw new Error(`${file} has this text ${parts.length - 1} times, a mutation needs it exactly once: ${old}`)
  return parts.join(replacement)
}
