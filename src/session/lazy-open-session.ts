import type { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'

/**
 * Opens a session. The code of sessions is loaded on the first call, so that importing the library for boards and mail
 * alone takes half the time.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const session = await import('./open-session.ts')
  return session.openSession(options)
}
