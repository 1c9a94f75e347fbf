import { parseRule } from './parse-rule.ts'
import type { Mode, Policy } from './policy.ts'

/** Rules and mode of a session. A person may change them while it is open; each check of each agent reads what holds then. */
export interface SessionPolicy {
  readonly current: Policy
  /** False, with nothing changed: `bypassPermissions` is reached only in a session that was started with it. */
  setMode(mode: Mode): boolean
  /** Allows what these rules cover until the session is closed. Deny and ask rules still win. */
  allow(rules: readonly string[]): void
}

export function createSessionPolicy(first: Policy): SessionPolicy {
  let current = first
  return {
    get current() {
      return current
    },
    setMode(mode) {
      if (mode === 'bypassPermissions' && first.mode !== mode) return false
      current = { ...current, mode }
      return true
    },
    allow(rules) {
      const known = new Set(current.allow.map(({ text }) => text))
      const added = rules.filter((rule) => !known.has(rule)).map(parseRule)
      current = { ...current, allow: [...current.allow, ...added] }
    },
  }
}
