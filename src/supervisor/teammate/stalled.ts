/** A working teammate whose model and tools were silent for too long. */
export class Stalled extends Error {
  constructor(name: string, seconds: number) {
    super(`${name} gave no sign of life for ${seconds} s`)
  }
}
