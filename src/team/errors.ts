/** The one family of errors we throw: what failed, on what, what to do now. Branch on `code`, never on the text. */
export abstract class TeamError extends Error {
  abstract readonly code: string
  override get name(): string {
    return this.constructor.name
  }
}
