/** The user ended the turn of this agent: it is idle until the next message. */
export const INTERRUPTED_BY_USER = Object.assign(new Error('The user interrupted it.'), { name: 'AbortError' })

/** Whether this signal ended the work, not a failure that looks like an abort. */
export function isAborted(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'))
}
