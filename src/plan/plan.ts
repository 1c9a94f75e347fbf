/** A plan file `PP-NN.plan.jsonl`: one header line, then one line per task, with the short keys of the source documents. */
export interface Plan {
  /** `03-01`: phase and plan number. */
  readonly id: string
  readonly path: string
  readonly header: PlanHeader
  readonly tasks: readonly PlanTask[]
}

export interface PlanHeader {
  /** Phase, two digits. */
  readonly p: string
  /** Number of the plan in its phase, two digits. */
  readonly n: string
  /** Title. */
  readonly t: string
  /** Wave: plans of a lower wave come first. */
  readonly w: number
  /** Plans that must be completed before any task of this one starts. */
  readonly d: readonly string[]
  /** Plans of other phases that must be complete when this one is loaded. */
  readonly xd: readonly CrossPhaseDependency[]
  /** Must-haves: truths, artefacts, key links. */
  readonly mh: { readonly tr?: readonly unknown[]; readonly ar?: readonly unknown[]; readonly kl?: readonly unknown[] }
  /** Objective. */
  readonly obj: string
}

export interface CrossPhaseDependency {
  readonly p: string
  readonly n: string
  /** A file that the other plan leaves behind, relative to the workspace. */
  readonly a?: string
  readonly r?: string
}

export interface PlanTask {
  /** `T3`; on the board `03-01/T3`. */
  readonly id: string
  /** `auto`, or `checkpoint:…` for a task that waits for a person. */
  readonly tp: string
  /** Action: what is to be done. */
  readonly a: string
  /** Files it changes. */
  readonly f: readonly string[]
  /** How to verify it. */
  readonly v: string
  /** When it is done. */
  readonly done: string
  /** Specification, added by the senior. */
  readonly spec?: string
  /** What its tests must show. */
  readonly ts?: string
  /** Tasks of the same plan that come first, each once. */
  readonly td: readonly string[]
  /** Line in the file, from 1. */
  readonly line: number
}

/** One mistake in a plan or organisation file: where it is, what it is, and what to write instead. */
export interface Problem {
  readonly file: string
  readonly line: number
  readonly problem: string
  readonly fix: string
}

export function taskIdOf(plan: Pick<Plan, 'id'>, task: Pick<PlanTask, 'id'>): string {
  return `${plan.id}/${task.id}`
}
