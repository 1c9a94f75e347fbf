import { artefactsFor } from '../artefacts/scope.ts'
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
  readonly prompt: string
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
  /** The number of the review, from 1 on. */
  readonly cycle: number
  roleOf(name: string): RoleBriefing | undefined
}

/** The tasks of a step. Each role is told of the artefacts it reads and of no others. */
export function stepTasks(step: WorkingStep, work: StepWork): StepTask[] {
  const again = work.cycle > 1 ? `, cycle ${work.cycle}` : ''
  return step.roles.flatMap((role) => {
    const briefing = work.roleOf(role)
    return reviewersOf(role, work.plans, step.perPlan).map(({ plans }) => {
      const only = step.perPlan && work.plans.length > 1 ? `, plan ${plans.join(', ')}` : ''
      return {
        subject: `Step ${step.step} ${step.name} of ${work.folder} as ${role}${only}${again}`,
        role,
        description: describe(step, work, briefing, plans),
      }
    })
  })
}

/** The task that repairs what a review found. */
export function reworkTask(step: WorkingStep, work: StepWork, role: string): StepTask {
  return {
    subject: `Rework after step ${step.step} ${step.name} of ${work.folder}, cycle ${work.cycle}`,
    role,
    description: `Fix everything that ${step.exit.map((file) => `${work.folder}/${file}`).join(' and ')} reports.`,
  }
}

function describe(
  step: WorkingStep,
  work: StepWork,
  briefing: RoleBriefing | undefined,
  plans: readonly string[],
): string {
  const reads = artefactsFor(briefing?.reads ?? [], work.files).map((file) => `- ${work.folder}/${file}`)
  const leaves = step.exit.map((file) => `- ${work.folder}/${file}`)
  return [
    briefing?.prompt ?? '',
    `Department: ${work.department}. Step ${step.step}: ${step.name}.${plans.length > 0 ? ` Plans: ${plans.join(', ')}.` : ''}`,
    reads.length > 0 ? `Read:\n${reads.join('\n')}` : 'No artefact of the phase is for your role.',
    ...(leaves.length > 0 ? [`Leave behind:\n${leaves.join('\n')}`] : []),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}
