import type { RecordedHandOff } from '../../team/phases/phase.ts'
import type { ReportedResult } from '../../team/plans/reported-result.ts'
import type { TeamState } from '../../team/state.ts'
import { outcomeOf, type Verdict } from '../artefacts/verdict.ts'
import type { Organisation, Step } from '../definition/organisation.ts'
import { actorOf } from '../routing/roles.ts'

export interface ReportedIn {
  readonly organisation: Organisation
  readonly department: string
  readonly step: Step
  readonly state: TeamState
  /** Numbers of tasks: only what was reported after the first of them was made, and before the second one. */
  readonly after: number
  readonly before: number
}

/** The artefact whose verdict a hand-off repeats. */
const ARTEFACT_OF: Readonly<Record<string, string>> = {
  code_review_result: 'code-review.jsonl',
  qa_result: 'verification.jsonl',
  qa_code_result: 'qa-code.jsonl',
  security_audit: 'security-audit.jsonl',
}

/** The verdicts that roles of a step handed over, whatever they wrote to their artefacts. A word that is no result is none. */
export function reportedVerdicts({ organisation, department, step, state, after, before }: ReportedIn): Verdict[] {
  const isFromStep = ({ from }: ReportedResult) =>
    step.roles.includes(actorOf(organisation, department, state, from)?.role ?? '')
  return [...state.results.values()].flatMap((reported) => {
    const { kind, from, plan, result, nextTask } = reported
    const outcome = result === null ? undefined : outcomeOf(result)
    if (result === null || outcome === undefined || nextTask <= after || nextTask > before) return []
    if (!isFromStep(reported)) return []
    const artefact = Object.hasOwn(ARTEFACT_OF, kind) ? ARTEFACT_OF[kind]! : (step.exit[0] ?? kind)
    return [{ artefact, where: `${kind} of ${from}`, plan, result, outcome }]
  })
}

/** A result that a role of the step sent up at once, past the lead: it is recorded for the owner. */
export function escalatedVerdicts(
  { department, step, since }: { readonly department: string; readonly step: Step; readonly since: number },
  handOffs: readonly RecordedHandOff[],
): Verdict[] {
  return handOffs.flatMap(({ kind, from, subjects, at, content }) => {
    // Those of the runtime itself are about a step, and say what its reviews said.
    const isSent = kind === 'escalation' && from === department && subjects.length === 0 && at >= since
    const { from: role, result } = content
    const outcome = typeof result === 'string' ? outcomeOf(result) : undefined
    if (!isSent || outcome === undefined || !step.roles.includes(String(role))) return []
    const artefact = step.exit[0] ?? kind
    return [{ artefact, where: `escalation of ${String(role)}`, plan: null, result: String(result), outcome }]
  })
}
