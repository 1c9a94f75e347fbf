import { codeOf } from '../../stores/files/disk.ts'
import { TeamError } from '../../team/errors.ts'
import { oneLine } from '../output/format.ts'
import { explain } from '../program/failure.ts'
import type { Room } from './room.ts'

/** What was found out by trying. Whatever is not in order says what to do about it. */
export type Finding =
  | { readonly verdict: 'pass'; readonly detail: string }
  | { readonly verdict: 'fail' | 'not available'; readonly detail: string; readonly remedy: string }

/** One thing this machine has to be able to do, tried for real. */
export interface Examination {
  readonly name: string
  /** It tries what a team does on disk, so it means nothing where no team could live. */
  readonly onDisk: boolean
  /** What to do when it could not even be tried: it threw, or did not come to an end. */
  readonly remedy: string
  examine(room: Room): Promise<Finding>
}

export function pass(detail: string): Finding {
  return { verdict: 'pass', detail }
}

export function fail(detail: string, remedy: string): Finding {
  return { verdict: 'fail', detail, remedy }
}

export function notAvailable(detail: string, remedy: string): Finding {
  return { verdict: 'not available', detail, remedy }
}

/** An error in words. One that neither we nor the system have a name for is a bug of ours, and says so. */
export function why(error: unknown): string {
  const isNamed = error instanceof TeamError || codeOf(error) !== undefined
  return oneLine(isNamed ? (error as Error).message : explain(error, {}).message, LONGEST)
}

const LONGEST = 400
