/** How often work goes back for changes, and which role decides after that. */
export interface CycleRule {
  readonly max: number
  readonly escalateTo: string
}

/**
 * What follows on a review.
 *
 * passed     the step is completed
 * again      the work goes back once more, and this is the number of the next cycle
 * escalate   it went back often enough: this role decides
 */
export type AfterReview =
  | { readonly next: 'passed' }
  | { readonly next: 'again'; readonly cycle: number }
  | { readonly next: 'escalate'; readonly to: string; readonly reason: string }

/** `cycle` is the number of the review that ended, from 1 on. */
export function afterReview({ max, escalateTo }: CycleRule, cycle: number, hasPassed: boolean): AfterReview {
  if (hasPassed) return { next: 'passed' }
  if (cycle < max) return { next: 'again', cycle: cycle + 1 }
  return { next: 'escalate', to: escalateTo, reason: `not passed after ${cycle} of ${max} cycles` }
}

/** One agent per plan where a wave has several, so that they work at the same time; else one for all. */
export function reviewersOf(
  role: string,
  plans: readonly string[],
  isPerPlan: boolean,
): { name: string; plans: string[] }[] {
  if (!isPerPlan || plans.length < 2) return [{ name: role, plans: [...plans] }]
  return plans.map((plan) => ({ name: `${role}-${plan}`, plans: [plan] }))
}
