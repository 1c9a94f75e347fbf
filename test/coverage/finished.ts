/** Parts of the build that are done: each of their SPEC numbers must have a test or a reason. */
export const finishedParts: number[] = [1]
