import { planInName } from '../artefacts/match.ts'
import { artefactsFor } from '../artefacts/scope.ts'
import type { ApprovalGate } from '../guards/approvals.ts'
import { reviewersOf } from '../guards/review-cycles.ts'

/** What a step of the organisation says about the work in it. */
export interface WorkingStep {
  readonly step: number
  readonly name: string
  readonly roles: readonly string[]
  readonly exit: readonly string[]
  readonly perPlan: boolean
}

export interface RoleBriefing {
  /** The artefacts that an agent of this role is given. */
  readonly reads: readonly string[]
}

/** A task of the board by which one role does its part of a step. */
export interface StepTask {
  /** The same in every run, so that a repeated run finds it. */
  readonly subject: string
  readonly role: string
  readonly description: string
}

export interface StepWork {
  readonly department: string
  /** Of the phase, relative to the workspace. */
  readonly folder: string
  /** Names of the files in it. */
  readonly files: readonly string[]
  readonly plans: readonly string[]
  /** `plans` are only those that go through a further review. */
  readonly isPartOfPlans?: boolean
  /** The number of the review, from 1 on. */
  readonly cycle: number
  /** How often the step was begun anew, because its reviews did not pass; from 1 on. */
  readonly attempt: number
  roleOf(name: string): RoleBriefing | undefined
}

/** The tasks of a step. Each role is told of the artefacts it reads and of no others. */
export function stepTasks(step: WorkingStep, work: StepWork): StepTask[] {
  const again = `${work.cycle > 1 ? `, cycle ${work.cycle}` : ''}${attemptWords(work)}`
  return step.roles.flatMap((role) => {
    const briefing = work.roleOf(role)
    return reviewersOf(role, work.plans, step.perPlan).map(({ plans }) => {
      const only = step.perPlan && (work.isPartOfPlans || work.plans.length > 1) ? `${PLANS}${plans.join(', ')}` : ''
      return {
        subject: `Step ${step.step} ${step.name} of ${work.folder} as ${role}${only}${again}`,
        role,
        description: describe(step, work, briefing, plans),
      }
    })
  })
}

/** The task that repairs what a review found: in these plans, or with an empty list in all of them. */
export function reworkTask(
  step: WorkingStep,
  work: StepWork,
  {
    role,
    plans,
    found,
  }: { readonly role: string; readonly plans: readonly string[]; readonly found: readonly string[] },
): StepTask {
  const only = plans.length > 0 ? `${PLANS}${plans.join(', ')}` : ''
  return {
    subject: `${reworkWords(step, work)}${only}${attemptWords(work)}`,
    role,
    description: `Fix everything that ${[...new Set(found)].join(' and ')} reports.`,
  }
}

const PLANS = ', plan '

/** Which plans the work of this cycle went back for, by the subject of a task; undefined where that is no such task. */
export function reworkedPlans(subject: string, step: WorkingStep, work: StepWork): readonly string[] | undefined {
  const [begin, end] = [reworkWords(step, work), attemptWords(work)]
  if (!subject.startsWith(begin) || !subject.endsWith(end)) return undefined
  const between = subject.slice(begin.length, subject.length - end.length)
  if (between === '') return []
  return between.startsWith(PLANS) ? between.slice(PLANS.length).split(', ') : undefined
}

function reworkWords({ step, name }: WorkingStep, { folder, cycle }: StepWork): string {
  return `Rework after step ${step} ${name} of ${folder}, cycle ${cycle}`
}

/** Whether this is the subject of such a task of the phase in this folder. */
export function isApprovalOf(subject: string, folder: string): boolean {
  return subject.startsWith('Approval ') && subject.includes(` of ${folder}, step `)
}

/** The task by which a person agrees, or does not, at a gate of the planning configuration. */
export function approvalTask(step: WorkingStep, work: StepWork, gate: ApprovalGate, role: string): StepTask {
  const files = step.exit.map((file) => `${work.folder}/${file}`).join(', ')
  return {
    subject: `Approval ${gate} of ${work.folder}, step ${step.step} ${step.name}, cycle ${work.cycle}${attemptWords(work)}`,
    role,
    description: `${QUESTIONS[gate]} See ${files}. Complete this task to agree; let it fail with a reason to refuse. Only a person decides it.`,
  }
}

const QUESTIONS: Readonly<Record<ApprovalGate, string>> = {
  qa_fail: 'QA failed. May the work go back for changes?',
  security_warn: 'The security audit has warnings. May the phase go on?',
  code_review: 'The code review passed. Do you approve the code?',
  manual_qa: 'QA passed. Try the result yourself: does it do what it should?',
}

function attemptWords({ attempt }: StepWork): string {
  return attempt > 1 ? `, attempt ${attempt}` : ''
}

function describe(
  step: WorkingStep,
  work: StepWork,
  briefing: RoleBriefing | undefined,
  plans: readonly string[],
): string {
  const leaves = step.exit
    .flatMap((file) => leftFiles(step, work, { file, plans }))
    .map((file) => `- ${work.folder}/${file}`)
  return [
    `Department: ${work.department}. Step ${step.step}: ${step.name}.${plans.length > 0 ? ` Plans: ${plans.join(', ')}.` : ''}`,
    readsText(work, briefing) ?? 'No artefact of the phase is for your role.',
    ...(leaves.length > 0 ? [`Leave behind:\n${leaves.join('\n')}`] : []),
  ].join('\n\n')
}

/** What an agent of a role is given to read; undefined where that is nothing. */
export function readsText(
  { folder, files }: Pick<StepWork, 'folder' | 'files'>,
  briefing: RoleBriefing | undefined,
): string | undefined {
  const reads = artefactsFor(briefing?.reads ?? [], files).map((file) => `- ${folder}/${file}`)
  return reads.length > 0 ? `Read:\n${reads.join('\n')}` : undefined
}

/** Where each plan of a phase is reviewed for itself, so that no review overwrites another one, the plan is in the name. */
function leftFiles(
  { perPlan }: WorkingStep,
  { files, plans: all }: StepWork,
  { file, plans }: { readonly file: string; readonly plans: readonly string[] },
): string[] {
  const inPhase = new Set([
    ...all,
    ...files.flatMap((name) => (name.endsWith('.plan.jsonl') ? (planInName(name) ?? []) : [])),
  ])
  return perPlan && inPhase.size > 1 && !file.includes('*') ? plans.map((plan) => `${plan}.${file}`) : [file]
}
