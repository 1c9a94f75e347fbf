import { TeamError } from '../../team/errors.ts'

/** Something the tour says did not happen. */
export class TourFailed extends TeamError {
  readonly code = 'tour_failed'
  constructor(what: string, dir: string) {
    super(`The tour shows what really happens, and this did not: ${what}. Everything it left is in ${dir}`)
  }
}

export class TourInterrupted extends TeamError {
  readonly code = 'interrupted'
  constructor(dir: string) {
    super(`Stopped. Its processes have ended; what they left is in ${dir}`)
  }
}
