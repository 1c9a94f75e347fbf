import { TeamError } from '../../team/errors.ts'

/** The command line is invalid. */
export class Misused extends TeamError {
  readonly code = 'misused'
}
