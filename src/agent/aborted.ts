/** Whether this signal ended the work, not a failure that looks like an abort. */
export function isAborted(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'))
}
