import { readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import type { Clock } from '../../journal/clock.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { artefactProblemIn } from '../../organisation/artefacts/phase-folder.ts'
import { type KnownViews, viewProblem } from '../../organisation/artefacts/view-problem.ts'
import { artefactPrefix, handOffFiles, ownArtefacts } from '../../organisation/definition/artefact-names.ts'
import type { Gate, Organisation } from '../../organisation/definition/organisation.ts'
import { type DepartmentOrganisation, organisationOf } from '../../organisation/departments/department-organisation.ts'
import type { ResolvedDepartments } from '../../organisation/departments/resolve-departments.ts'
import { teamOf } from '../../organisation/departments/spawn-plan.ts'
import type { GateDecision } from '../../organisation/gates/decide-gate.ts'
import { departmentFacts, departmentState, gateIn, type PhaseState } from '../../organisation/phases/phase-state.ts'
import { TeamError } from '../../team/errors.ts'
import type { RecordedHandOff } from '../../team/phases/phase.ts'
import type { TeamState } from '../../team/state.ts'
import type { Workspace } from '../../workspace.ts'

/** One phase of the work, in its folder, with the departments that work on it. */
export interface Phase {
  readonly organisation: Organisation
  readonly departments: ResolvedDepartments
  /** Real paths: of the workspace, and of the phase's folder in it. */
  readonly root: string
  readonly path: string
  /** The folder relative to the workspace: events name it. */
  readonly folder: string
}

/** The same, as one department sees it. */
export interface DepartmentPhase extends Phase {
  readonly organisation: DepartmentOrganisation
}

export function phaseOf(phase: Phase, department: string): DepartmentPhase {
  return { ...phase, organisation: organisationOf(phase.organisation, department) }
}

export class InvalidPhase extends TeamError {
  readonly code = 'invalid_phase'
}

export function openPhase(
  { workspace }: Pick<Workspace, 'workspace'>,
  path: string,
  organisation: Organisation,
  departments: ResolvedDepartments,
): Phase {
  const root = realpathSync(workspace)
  let real: string
  try {
    real = realpathSync(path)
    if (!statSync(real).isDirectory()) throw new Error('it is not a folder')
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : (error as Error).message
    throw new InvalidPhase(`${path} cannot be used: ${why}. Name the folder of a phase.`)
  }
  const folder = relative(root, real)
  if (folder === '' || folder === '..' || folder.startsWith(`..${sep}`))
    throw new InvalidPhase(`${path} is not a folder inside of the workspace ${root}. Move the phase there.`)
  return { organisation, departments, root, path: real, folder }
}

/** The only folder of a phase that holds plans below the planning folder; for commands that name none. */
export function findPhase(root: string, { planning }: Pick<Organisation, 'planning'>): string {
  const phases = join(root, planning, 'phases')
  const names = foldersIn(phases).filter((name) => /^\d\d/.test(name))
  const [only] = names
  if (only !== undefined && names.length === 1) return join(phases, only)
  const place = join(planning, 'phases')
  throw new InvalidPhase(
    names.length === 0
      ? `There is no phase in ${place}. Make its folder, like ${join(place, '01-setup')}, or name one that is elsewhere with --phase-dir.`
      : `${place} has the phases ${names.join(', ')}. Name one with --phase-dir, like: --phase-dir ${join(phases, names[0]!)}`,
  )
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  } catch {
    return []
  }
}

/** The team whose journal holds what departments hand over to each other: one journal, so that one of two answers wins. */
export function ownerTeam({ organisation }: Pick<Phase, 'organisation'>): string {
  return teamOf(organisation, organisation.owner)
}

/** What the journals say now. A team that does not exist yet has done nothing. */
export async function readPhase(phase: Phase, { store }: Pick<Workspace, 'store'>, clock: Clock): Promise<PhaseState> {
  const { organisation, folder } = phase
  const teams = new Set(await store.teams())
  async function read<T>(team: string, look: (state: TeamState) => T): Promise<T | undefined> {
    if (!teams.has(team)) return undefined
    await using handle = await openTeam(store, team, { clock })
    await handle.refresh()
    return handle.state.team.get()?.deleted === false ? handle.loadLongTexts(look(handle.state)) : undefined
  }
  const departments = []
  for (const name of phase.departments.waves.flatMap((wave) => wave.departments)) {
    const facts = await read(teamOf(organisation, name), (state) => departmentFacts(state, folder))
    departments.push(departmentState(name, organisation.steps, facts ?? { steps: [], plans: [] }))
  }
  const handOffs = await read(ownerTeam(phase), ({ handOffs }) =>
    [...handOffs.values()].filter((handOff) => handOff.folder === folder),
  )
  return { departments, handOffs: handOffs ?? [] }
}

const PLAN_FILE = /^(\d\d-\d\d)\.plan\.jsonl$/

/** Decides a gate of the organisation, by its name or another name it has. */
export function checkGate(phase: Phase, state: PhaseState, wanted: string): GateDecision & { readonly rule: Gate } {
  const { gates } = phase.organisation
  const found = [...gates].find(([name, { aliases }]) => name === wanted || aliases.includes(wanted))
  if (!found) throw new InvalidPhase(`There is no gate '${wanted}'. Gates: ${[...gates.keys()].join(', ')}.`)
  const [name, rule] = found
  const folder = {
    plans: readdirSync(phase.path).flatMap((file) => PLAN_FILE.exec(file)?.[1] ?? []),
    problemOf(artefact: string) {
      const plans = state.departments.flatMap(({ facts }) => facts.plans)
      const view = viewProblem(artefact, knownViews(phase, plans, state.handOffs))
      return view ? view.problem : departmentArtefact(phase, rule, artefact)
    },
  }
  return { ...gateIn(name, rule, state, folder), rule }
}

/** An artefact of steps must be there for each department that the gate is about; any other one for the phase. */
function departmentArtefact(phase: Phase, { departments }: Gate, artefact: string): string | undefined {
  const { organisation } = phase
  const files = { handOffFiles: handOffFiles(organisation) }
  if (!ownArtefacts(organisation).has(artefact)) return artefactProblemIn(phase.path, artefact, files)
  const meant = departments === 'active' || departments.length === 0 ? phase.departments.active : departments
  const problems = meant.flatMap((name) => {
    const prefix = artefactPrefix(organisation.departments.get(name)!)
    const problem = artefactProblemIn(phase.path, `${prefix}${artefact}`, { ...files, prefix })
    return problem === undefined ? [] : [`${prefix}${artefact} of ${name} ${problem}`]
  })
  return problems.length === 0 ? undefined : problems.join('; ')
}

/** What the journals say about the files of the phase that are written from them. */
export function knownViews(
  { organisation }: Pick<Phase, 'organisation'>,
  plans: KnownViews['plans'],
  handOffs: readonly RecordedHandOff[],
): KnownViews {
  return {
    plans,
    handOffFiles: handOffFiles(organisation),
    isRecorded: (file) =>
      handOffs.some(
        ({ kind, from }) => organisation.handoffs.get(kind)?.file?.replaceAll('{department}', from) === file,
      ),
  }
}

/** The wave whose gates are not all passed, or the last one. */
export function currentWave(phase: Phase, state: PhaseState): number {
  const { waves } = phase.departments
  const open = waves.find(({ gates }) => gates.some((gate) => !checkGate(phase, state, gate).isPassed))
  return open?.id ?? waves.length
}

/** `03-api` of a phase. */
export function phaseName({ path }: Pick<Phase, 'path'>): string {
  return basename(resolve(path))
}
