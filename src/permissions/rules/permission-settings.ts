import type { Mode, Policy } from './policy.ts'
import { parseRule } from './rule.ts'

/** What agents may do, as settings and options say it. The mode decides where no rule does; a deny rule always wins. */
export interface PermissionSettings {
  readonly mode?: Mode
  /** Rules such as `bash(git *)`, `edit_file(src/**)`, `network(npm install *)` or the name of a tool. */
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
}

export function policyOf(settings: PermissionSettings, root: string): Policy {
  const { mode = 'default', allow = [], ask = [], deny = [] } = settings
  return { mode, root, allow: allow.map(parseRule), ask: ask.map(parseRule), deny: deny.map(parseRule) }
}
