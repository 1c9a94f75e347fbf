import { TeamError } from '../../team/errors.ts'
import type { Fault } from './store.ts'

/** The journal cannot be trusted past a place, so no process writes until a person has checked it. */
export class JournalReadOnly extends TeamError {
  readonly code = 'journal_read_only'
  readonly fault: Fault
  constructor(fault: Fault) {
    super(`${fault.path} is read-only: ${fault.kind} at line ${fault.line} (byte ${fault.offset}): ${faultText(fault)}`)
    this.fault = fault
  }
}

/** What is wrong, and what to do. */
export function faultText({ detail, advice }: Fault): string {
  return advice === undefined ? detail : `${detail}. ${advice}`
}

/** The write may or may not have happened; asking again with the same command id gives the answer. */
export class OutcomeUnknown extends TeamError {
  readonly code = 'outcome_unknown'
  constructor(path: string, ids: readonly string[], cause: unknown) {
    super(
      `Writing to ${path} failed half way (${reason(cause)}), so it is not known whether ${ids.join(', ')} was accepted. ` +
        'Fix the cause, then repeat the command with the same --command-id: it returns the first answer.',
      { cause },
    )
  }
}

/** Nothing was written. */
export class NotWritten extends TeamError {
  readonly code = 'not_written'
  constructor(path: string, cause: unknown) {
    super(`Nothing was written to ${path}: ${reason(cause)}. Fix the cause and retry.`, { cause })
  }
}

/** The disk failed while reading; what was folded before stays true. */
export class NotRead extends TeamError {
  readonly code = 'not_read'
  constructor(path: string, cause: unknown) {
    super(`${path} could not be read: ${reason(cause)}. Fix the cause and retry.`, { cause })
  }
}

/** Every line is still in its mailbox file or already in the journal: a retry is safe. */
export class MailNotBroughtIn extends TeamError {
  readonly code = 'mail_not_brought_in'
  constructor(cause: unknown) {
    super(`The mailbox files could not be read into the journal: ${reason(cause)}. Fix the cause and retry.`, {
      cause,
    })
  }
}

/** Refused before anything was written, because no reader would accept it. */
export class RecordRefused extends TeamError {
  readonly code = 'record_refused'
  constructor(path: string, id: string, why: string) {
    super(`Nothing was written to ${path}: the record ${id} ${why}.`)
  }
}

/** The path leads to another log than before: a fold that continued would mix two histories. */
export class JournalReplaced extends TeamError {
  readonly code = 'journal_replaced'
  readonly fault: Fault
  constructor(fault: Fault) {
    super(
      `${fault.path} was replaced or cut while it was open: ${fault.detail}. Open it again to read what is there now.`,
    )
    this.fault = fault
  }
}

/** The fault, if the log lost its end and continues without it: a reader may fold it again. */
export function rewoundBy(error: unknown): Fault | undefined {
  const isOne = error instanceof JournalReplaced || error instanceof JournalReadOnly
  return isOne && error.fault.kind === 'rewound' ? error.fault : undefined
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Another process has taken over what this process did, or is about to: the caller stops at once. */
export class Superseded extends TeamError {
  readonly code = 'superseded'
}
