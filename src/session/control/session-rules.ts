import type { Policy } from '../../permissions/rules/policy.ts'
import type { Origin, Source } from '../../settings/layers.ts'

/** A rule of permissions that counts in a session now. */
export interface SessionRule {
  readonly decision: (typeof DECISIONS)[number]
  /** As it was written. */
  readonly rule: string
  /** `session`: a person answered with it, or the program that opened the session gave it. */
  readonly from: Source | 'session'
  /** The settings file. */
  readonly path?: string
}

/** In the order in which they count. */
export const DECISIONS = ['deny', 'ask', 'allow'] as const

/** The rules of a policy with the layer that each comes from. */
export function rulesIn(policy: Pick<Policy, (typeof DECISIONS)[number]>, origins: readonly Origin[]): SessionRule[] {
  return DECISIONS.flatMap((decision) => {
    const written = origins
      .filter(({ key }) => key === `permissions.${decision}`)
      .flatMap(({ value, source, path }) =>
        (value as readonly string[]).map((rule) => ({ rule, from: source, ...(path !== undefined && { path }) })),
      )
    return policy[decision].map(({ text }): SessionRule => {
      // Several layers may have the same rule; each stands for one.
      const at = written.findIndex(({ rule }) => rule === text)
      const [found] = at === -1 ? [] : written.splice(at, 1)
      return { decision, ...(found ?? { rule: text, from: 'session' }) }
    })
  })
}
