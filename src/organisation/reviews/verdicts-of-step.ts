import type { Verdict } from '../artefacts/verdict.ts'
import type { Step } from '../definition/organisation.ts'

/**
 * The verdicts that count for a step of a department. A step that reviews each plan needs a verdict about each of them:
 * what was said about another plan does not count, and a missing one is no approval.
 */
export function verdictsOfStep(
  { perPlan, cycles, exit }: Pick<Step, 'perPlan' | 'cycles' | 'exit'>,
  plans: readonly string[],
  { written, reported }: { readonly written: readonly Verdict[]; readonly reported: readonly Verdict[] },
): Verdict[] {
  if (!perPlan || !cycles || plans.length === 0) return [...written, ...reported]
  const isMeant = ({ plan }: Verdict) => (plan === null ? plans.length === 1 : plans.includes(plan))
  const missing = plans.filter(
    (plan) => !written.some((verdict) => isMeant(verdict) && (verdict.plan ?? plan) === plan),
  )
  const artefact = exit[0] ?? ''
  return [
    ...written.filter(isMeant),
    ...reported.filter(({ plan }) => plan === null || plans.includes(plan)),
    ...missing.map((plan): Verdict => {
      const result = `no result for plan ${plan}`
      return { artefact, where: artefact, plan, result, outcome: 'fail' }
    }),
  ]
}

/** Where two of them disagree about the same work: the stricter one counts, and both are named. */
export function disagreements(verdicts: readonly Verdict[]): string[] {
  const failed = verdicts.filter(({ outcome }) => outcome === 'fail')
  return failed.flatMap((strict) =>
    verdicts
      .filter((other) => other.outcome !== 'fail' && isAboutTheSame(strict, other))
      .map(
        (other) =>
          `${strict.where} says ${strict.result}, ${other.where} says ${other.result}: the stricter one counts`,
      ),
  )
}

function isAboutTheSame(a: Verdict, b: Verdict): boolean {
  return a.artefact === b.artefact && a.where !== b.where && (a.plan === null || b.plan === null || a.plan === b.plan)
}
