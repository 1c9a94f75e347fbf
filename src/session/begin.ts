import type { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'

/**
 * Opens a session. What one needs is loaded with the first: whoever imports the library for boards and mail alone
 * starts in half the time.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const session = await import('./open-session.ts')
  return session.openSession(options)
}
