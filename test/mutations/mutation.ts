/** A realistic mistake in one source file, and the test that must turn red with it. */
export interface Mutation {
  readonly name: string
  /** What goes wrong when the code says this, in one sentence. */
  readonly mistake: string
  /** The source, from the root of the repository. */
  readonly file: string
  /** Found exactly once in the source. */
  readonly old: string
  readonly new: string
  /** The test file that notices, from the root of the repository. */
  readonly test: string
  /** The beginning of the title of the test that fails. */
  readonly fails: string
}

/** How the runner hands a mutation to the plugin in vitest.config.ts: JSON in this variable. */
export const MUTATION = 'DESKMATES_MUTATION'

/** The source with the mistake in it. Throws where the old text is not found exactly once. */
export function mutate(source: string, { file, old, new: replacement }: Pick<Mutation, 'file' | 'old' | 'new'>) {
  const parts = source.split(old)
  if (old === '' || parts.length !== 2)
    throw new Error(`${file} has this text ${parts.length - 1} times, a mutation needs it exactly once: ${old}`)
  return parts.join(replacement)
}
