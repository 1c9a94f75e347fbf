import { z } from 'zod'

/** A part of a user turn that a person wrote; the others are mail of agents and notices of the runtime. */
export const TypedPart = z.object({
  /** Its place in the turn, from 0. */
  part: z.number().int().nonnegative(),
  /** What the person typed, where the part says more or something else: hooks add to a prompt, a command stands for one. */
  text: z.string().optional(),
})
export type TypedPart = z.infer<typeof TypedPart>

/** Text of a turn; `typed` where a person wrote it. */
export interface InputText {
  readonly text: string
  readonly typed?: string | undefined
}

export function typedParts(texts: readonly InputText[]): TypedPart[] {
  return texts.flatMap(({ text, typed }, part) =>
    typed === undefined ? [] : typed === text ? [{ part }] : [{ part, text: typed }],
  )
}
