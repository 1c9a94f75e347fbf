import type { Verdict } from '../artefacts/verdict.ts'

/** Gates at which the planning configuration wants a person: `approval_gates`. */
export const APPROVAL_GATES = ['qa_fail', 'security_warn', 'code_review', 'manual_qa'] as const
export type ApprovalGate = (typeof APPROVAL_GATES)[number]

export type ApprovalGates = Readonly<Partial<Record<ApprovalGate, boolean>>>

const CODE_REVIEW = 'code-review.jsonl'
const SECURITY_AUDIT = 'security-audit.jsonl'
const QA = ['verification.jsonl', 'qa-code.jsonl']

/**
 * The gates at which a person has to agree before a step goes on, given what its reviews say.
 *
 * code_review    a code review has passed
 * manual_qa      QA has passed: the person tries the result
 * security_warn  an audit has passed with warnings
 * qa_fail        QA has failed: work goes back only if the person agrees
 */
export function approvalsFor(gates: ApprovalGates, verdicts: readonly Verdict[]): ApprovalGate[] {
  const of = (...artefacts: string[]) => verdicts.filter(({ artefact }) => artefacts.includes(artefact))
  const [review, qa, audit] = [of(CODE_REVIEW), of(...QA), of(SECURITY_AUDIT)]
  const hasPassed = (some: readonly Verdict[]) => some.length > 0 && some.every(({ outcome }) => outcome !== 'fail')
  const isDue: Record<ApprovalGate, boolean> = {
    qa_fail: qa.some(({ outcome }) => outcome === 'fail'),
    security_warn: audit.some(({ outcome }) => outcome === 'warn'),
    code_review: hasPassed(review),
    manual_qa: hasPassed(qa),
  }
  return APPROVAL_GATES.filter((gate) => gates[gate] === true && isDue[gate])
}
