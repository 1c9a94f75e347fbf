import { codeOf } from '../../stores/files/disk.ts'
import { TeamError } from '../../team/errors.ts'
import { oneLine } from '../output/format.ts'
import { explain } from '../program/failure.ts'
import type { TestEnvironment } from './test-environment.ts'

/** The result of an examination. */
export interface Finding {
  readonly verdict: 'pass' | 'fail' | 'not available'
  readonly detail: string
  /** What to do about this failure, where that is not the remedy of the examination. */
  readonly remedy?: string
}

/** One ability that this machine needs, tested for real. */
export interface Examination {
  readonly name: string
  /** It tests what a team does on disk, so it is skipped where no team could be stored. */
  readonly onDisk: boolean
  /** What to do when the examination failed, threw, or did not end. */
  readonly remedy: string
  examine(environment: TestEnvironment): Promise<Finding>
}

export function pass(detail: string): Finding {
  return { verdict: 'pass', detail }
}

export function fail(detail: string, remedy?: string): Finding {
  return { verdict: 'fail', detail, ...(remedy !== undefined && { remedy }) }
}

export function notAvailable(detail: string, remedy?: string): Finding {
  return { verdict: 'not available', detail, ...(remedy !== undefined && { remedy }) }
}

/** An error in words. An error without a code is reported as a bug of deskmates. */
export function why(error: unknown): string {
  const isNamed = error instanceof TeamError || codeOf(error) !== undefined
  return oneLine(isNamed ? (error as Error).message : explain(error, {}).message, MAX_DETAIL_LENGTH)
}

const MAX_DETAIL_LENGTH = 400
