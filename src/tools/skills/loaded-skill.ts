/** Instructions a lead may load: the system prompt has name and description, the Skill tool returns the body. */
export interface Skill {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly body: string
  /** The path of its file, as shown to people. */
  readonly path: string
  /** Files that belong to it, relative to its folder. */
  readonly resources: readonly string[]
  /** The text of one of them, or what is wrong with it. */
  read(resource: string): { readonly text: string } | { readonly problem: string }
}
