import { existsSync, realpathSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { resolveDepartments } from '../../organisation/departments/resolve-departments.ts'
import type { PhaseState } from '../../organisation/phases/phase-state.ts'
import type { Problem } from '../../plan/plan.ts'
import { PLAN_CONFIG_FILE, readPlanConfig } from '../../plan/plan-config.ts'
import { planStatus } from '../../plan/plan-status.ts'
import { type Phase, readPhase } from '../../session/organisation/phase.ts'
import { findPlans, type TeamPlans } from '../../session/plan/find-plans.ts'
import { counted } from '../../team/wording.ts'
import { print, printJson, printMessage, warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { explain, Misused, Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { withTeam } from '../workspace/open-team.ts'
import { workspaceFolder } from '../workspace/workspace-folder.ts'
import { organisationHere } from './organisation.ts'
import { phaseNamed } from './phase.ts'
import { phasePicture, phaseStatus, stepsPicture } from './phase-picture.ts'
import { plansPicture } from './picture.ts'
import { problemLines } from './read.ts'

interface Options {
  phaseDir?: string
}

interface ShownPhase {
  readonly phase: Phase
  readonly state: PhaseState
}

export const planStatusCommand: SubCommand<Options> = {
  example: `$ deskmates plan status --phase-dir phases/03-api
phase-03
  03-01  Routes  wave 1 · 2 of 4 tasks completed
    T3  dev-1 works on it     Write the handlers
    T4  waits for 03-01/T3    Write the tests`,
  define(command) {
    command.option('--phase-dir <dir>', 'only plans of this folder')
  },
  async run(call, { phaseDir }) {
    const isNamed = call.globals.team !== undefined || Boolean(call.env.DESKMATES_TEAM)
    const teams = isNamed ? await plansOfTeam(call, phaseDir) : await plansOfAllTeams(call, phaseDir)
    const problem = organisationProblem(call)
    const phases = problem ? [] : await phasesOf(call, phaseDir, teams)
    const shown = phases.map(({ phase, state }) => phaseStatus(phase, state))
    if (call.globals.json) await printJson(call, { teams, phases: shown, problems: problem?.problems ?? [] })
    else if (teams.length === 0 && phases.length === 0)
      await printMessage(call, 'No plan is loaded. Load plans with: deskmates plan load FILES')
    else {
      const pictures = [
        ...teams.map((team) => plansPicture(call, team)),
        ...phases.flatMap(({ phase, state }) => [phasePicture(call, phase, state), stepsPicture(call, phase, state)]),
      ]
      await print(call, pictures.join('\n'))
    }
    if (problem) throw problem.error
  },
}

/** What is wrong in the files of the organisation, or in the planning configuration: the plans are shown all the same. */
function organisationProblem(call: Call): { error: unknown; problems: readonly Problem[] } | undefined {
  const found = organisationHere(call)
  if (!found) return undefined
  const text = 'Departments and steps cannot be shown:'
  if (!found.organisation) {
    const { problems } = found
    const message = `${text} ${counted(problems.length, 'problem')} in the organisation.\n${problemLines(problems)}`
    return { error: new Refused({ code: 'invalid_organisation', message }), problems }
  }
  const file = join(workspaceFolder(call), PLAN_CONFIG_FILE)
  try {
    resolveDepartments(found.organisation, readPlanConfig(file))
    return undefined
  } catch (error) {
    const { message } = explain(error, call.env)
    return { error, problems: [{ file, line: 1, problem: message, fix: `Correct ${PLAN_CONFIG_FILE}.` }] }
  }
}

function plansOfTeam(call: Call, phaseDir: string | undefined): Promise<TeamPlans[]> {
  return withTeam(call, 'read', async ({ name, state, loadLongTexts }, { workspace }) => {
    const plans = await loadLongTexts(planStatus(state, folderOf(call, workspace, phaseDir)))
    return plans.length === 0 ? [] : [{ team: name, plans }]
  })
}

async function plansOfAllTeams(call: Call, phaseDir: string | undefined): Promise<TeamPlans[]> {
  await using workspace = await openStore(call)
  return findPlans(workspace, {
    clock: call.clock,
    folder: folderOf(call, workspace.workspace, phaseDir),
    onUnreadable: (team, error) => warn(call, `Team ${team} cannot be read: ${explain(error, call.env).message}`),
  })
}

/**
 * What departments of the organisation do in the folder that is named, or else in those of the plans. A folder without an organisation
 * has plans only; one whose departments have not begun anything is no phase of it.
 */
async function phasesOf(call: Call, phaseDir: string | undefined, teams: readonly TeamPlans[]): Promise<ShownPhase[]> {
  const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
  if (!organisationHere(call)) return []
  await using workspace = await openStore(call)
  const folders = new Set(teams.flatMap(({ plans }) => plans.map(({ folder }) => folder)).filter(Boolean))
  const paths = phaseDir === undefined ? [...folders].map((folder) => resolve(workspace.workspace, folder)) : [phaseDir]
  // The folder of the project itself may hold plans, but is no phase.
  const isPhase = (path: string) =>
    existsSync(resolve(cwd, path)) && resolve(cwd, path) !== resolve(workspace.workspace)
  const found: ShownPhase[] = []
  for (const path of paths.filter(isPhase)) {
    const phase = await phaseNamed(call, workspace, { phaseDir: path })
    const state = await readPhase(phase, workspace, call.clock)
    if (state.departments.some(({ facts }) => facts.steps.length > 0)) found.push({ phase, state })
  }
  return found
}

/** Relative to the workspace, as loaded plans name it. */
function folderOf(call: Call, workspace: string, phaseDir: string | undefined): string | undefined {
  if (phaseDir === undefined) return undefined
  const folder = resolve(call.cwd, call.globals.cwd ?? '.', phaseDir)
  try {
    return relative(realpathSync(workspace), realpathSync(folder))
  } catch {
    throw new Misused(`--phase-dir: ${folder} is not a folder. Name the folder of a phase.`)
  }
}
