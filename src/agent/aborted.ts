/** Was it our own signal that ended this, and not a failure that looks like it? */
export function isAborted(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'))
}
