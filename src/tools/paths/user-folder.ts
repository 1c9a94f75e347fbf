import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Where this user's own settings lie. A relative XDG path is to be ignored, says its specification. */
export function userFolder(env: Readonly<Record<string, string | undefined>>): string {
  const xdg = env.XDG_CONFIG_HOME
  return xdg && isAbsolute(xdg) ? join(xdg, 'deskmates') : join(env.HOME || homedir(), '.config', 'deskmates')
}
