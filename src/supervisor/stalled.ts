/** A teammate that works and gives no sign of life. */
export class Stalled extends Error {
  constructor(name: string, seconds: number) {
    super(`${name} gave no sign of life for ${seconds} s`)
  }
}
