/** Knowledge a lead may call up: its name and description are always there, its body on demand. */
export interface Skill {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly body: string
  /** Where its file is, as a person would call it. */
  readonly path: string
  /** Files that belong to it, relative to its folder. */
  readonly resources: readonly string[]
  /** The text of one of them, or what is wrong with it. */
  read(resource: string): { readonly text: string } | { readonly problem: string }
}
