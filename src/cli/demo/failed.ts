import { TeamError } from '../../team/errors.ts'

/** The team did not come to its end. */
export class DemoFailed extends TeamError {
  readonly code = 'demo_failed'
  constructor(what: string, dir: string, cause?: unknown) {
    super(`The demo did not come to its end: ${what}. Everything it left is in ${dir}`, { cause })
  }
}

export class DemoInterrupted extends TeamError {
  readonly code = 'interrupted'
  constructor(dir: string) {
    super(`Stopped. All agents have ended; their files are in ${dir}`)
  }
}
