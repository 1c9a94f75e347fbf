import type { PlanConfig } from '../../plan/plan-config.ts'
import { TeamError } from '../../team/errors.ts'
import type { Department, Organisation, Workflow } from '../definition/organisation.ts'

/** The planning configuration asks for departments or a workflow that the organisation does not have. */
export class InvalidDepartments extends TeamError {
  readonly code = 'invalid_departments'
}

/** Which departments work in this phase, and in which order. */
export interface ResolvedDepartments {
  readonly workflow: string
  readonly order: Workflow['order']
  /** The departments that begin together; a wave begins when the gates of the one before are passed. */
  readonly waves: readonly Wave[]
  /** In the order of the definition. */
  readonly active: readonly string[]
  /** With several departments the owner coordinates them. */
  readonly isOwnerActive: boolean
  readonly warnings: readonly string[]
}

export interface Wave {
  /** From 1 on. */
  readonly id: number
  readonly departments: readonly string[]
  /** All of them must be passed before the next wave begins, or before the phase ends. */
  readonly gates: readonly string[]
}

/** What the planning configuration decides about departments; every department may be switched off. */
export type DepartmentConfig = Pick<PlanConfig, 'departments' | 'department_workflow'>

export function resolveDepartments(organisation: Organisation, config: DepartmentConfig = {}): ResolvedDepartments {
  const { departments, workflows } = organisation
  const wanted = config.department_workflow ?? organisation.workflow
  const workflow = workflows.get(wanted)
  if (!workflow)
    throw new InvalidDepartments(
      `The organisation has no workflow '${wanted}'. Write one of: ${[...workflows.keys()].join(', ')}.`,
    )
  const unknown = Object.keys(config.departments ?? {}).filter((name) => !departments.has(name))
  if (unknown.length > 0)
    throw new InvalidDepartments(
      `The organisation has no department ${unknown.join(', ')}. Write some of: ${[...departments.keys()].join(', ')}.`,
    )
  const isOn = (name: string, { active }: Department) => config.departments?.[name] ?? active
  const on = [...departments].filter(([name, department]) => isOn(name, department)).map(([name]) => name)
  const waves = workflow.waves.map((wave) => wave.filter((name) => on.includes(name))).filter((wave) => wave.length > 0)
  const running = waves.flat()
  if (running.length === 0) throw new InvalidDepartments(nothingRuns(wanted, workflow, on))
  const warnings = on
    .filter((name) => !running.includes(name))
    .map((name) => `${name} is active, but the workflow ${wanted} does not run it.`)
  const isAlone = running.length === 1
  if (isAlone && workflow.order !== 'single')
    warnings.push(`The workflow ${wanted} needs a second department; ${running[0]} runs alone.`)
  return {
    workflow: isAlone ? (soleWorkflow(organisation, running[0]!) ?? wanted) : wanted,
    order: isAlone ? 'single' : workflow.order,
    waves: waves.map((names, i) => ({
      id: i + 1,
      departments: names,
      gates: i === waves.length - 1 ? lastGates(organisation) : names.map((name) => departments.get(name)!.gate),
    })),
    active: on.filter((name) => running.includes(name)),
    isOwnerActive: !isAlone,
    warnings,
  }
}

function nothingRuns(name: string, { waves }: Workflow, on: readonly string[]): string {
  const needed = waves.flat().join(', ')
  if (on.length === 0) return `No department is active. Switch on one of: ${needed}.`
  return `The workflow ${name} runs ${needed}, which is switched off. Switch it on, or choose a workflow that runs ${on.join(', ')}.`
}

function soleWorkflow({ workflows }: Organisation, department: string): string | undefined {
  const fits = ([, { order, waves }]: [string, Workflow]) => order === 'single' && waves[0]?.[0] === department
  return [...workflows].find(fits)?.[0]
}

function lastGates({ gates }: Organisation): string[] {
  return [...gates].filter(([, { last }]) => last).map(([name]) => name)
}
