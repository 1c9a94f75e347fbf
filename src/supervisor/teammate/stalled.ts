import { lifelessText } from '../../prompts/reports.ts'

/** A working teammate whose model and tools were silent for too long. */
export class Stalled extends Error {
  constructor(name: string, seconds: number) {
    super(lifelessText(name, seconds))
  }
}
