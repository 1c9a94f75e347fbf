import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LoadedPlan } from '../team/plans/plan.ts'
import type { Plan, Problem } from './plan.ts'

/** A plan that was loaded earlier: what the journal says about it counts, not what a file says. */
export type PlanOnBoard = Pick<LoadedPlan, 'tasks' | 'summary'>

/** What is known about plans besides those that are to be loaded. */
export interface KnownPlans {
  /** On the board of the team that loads. */
  onBoard(id: string): PlanOnBoard | undefined
  /** In the journal of another team: a plan of the folder of this plan, or of a folder beside it. */
  elsewhere(id: string, near: Plan): { readonly team: string; readonly isComplete: boolean } | undefined
  /** Why a summary file that no journal confirms does not count. */
  doubt(summaryFile: string): string | undefined
}

/** Where a plan of another phase and its summary are: in the folder itself, or in a folder beside it (`phases/01-setup/`). */
export function findCrossPhase(folder: string, id: string): { planFile?: string; summaryFile?: string } {
  const find = (name: string) => [folder, ...foldersBeside(folder)].map((place) => join(place, name)).find(existsSync)
  const planFile = find(`${id}.plan.jsonl`)
  const summaryFile = find(`${id}.summary.jsonl`)
  return { ...(planFile !== undefined && { planFile }), ...(summaryFile !== undefined && { summaryFile }) }
}

/** What plans of other phases still owe to this one: each must be complete, with its artefact in the workspace. */
export function unmetCrossPhase(plan: Plan, workspace: string, known: KnownPlans): Problem[] {
  return plan.header.xd.flatMap(({ p, n, a, r }) => {
    const id = `${p}-${n}`
    const why = r === undefined ? '' : ` (${r})`
    const report = (problem: string, fix: string) => [{ file: plan.path, line: 1, problem: `${problem}${why}`, fix }]
    const open = incomplete(id, plan, known)
    if (open) return report(`plan ${id} of another phase ${open.problem}`, open.fix)
    if (a === undefined || existsSync(join(workspace, a))) return []
    return report(`plan ${id} is complete, but ${a} is missing`, `Restore ${a}, or correct "a" in "xd".`)
  })
}

/**
 * Why a plan that another one needs does not count as complete. A journal of this workspace decides where one knows the
 * plan; a summary file counts only where none does and nothing speaks against the file.
 */
export function incomplete(id: string, near: Plan, known: KnownPlans): Pick<Problem, 'problem' | 'fix'> | undefined {
  const fix = `Run ${id} first, then load this plan again.`
  const loaded = known.onBoard(id)
  if (loaded) return loaded.summary?.s === 'complete' ? undefined : { problem: 'is not complete on the board', fix }
  const other = known.elsewhere(id, near)
  if (other)
    return other.isComplete ? undefined : { problem: `is not complete on the board of team ${other.team}`, fix }
  const { summaryFile } = findCrossPhase(dirname(near.path), id)
  if (summaryFile === undefined) return { problem: 'has no summary', fix }
  if (!isComplete(summaryFile)) return { problem: `is not complete by ${summaryFile}`, fix }
  const doubt = known.doubt(summaryFile)
  if (doubt === undefined) return undefined
  return {
    problem: `is complete only by ${summaryFile}, which ${doubt}`,
    fix: `Check it and commit it to git, or run ${id} here.`,
  }
}

/** A summary is one line; only `s` decides. A broken one is not complete. */
export function isComplete(summaryFile: string): boolean {
  try {
    return JSON.parse(readFileSync(summaryFile, 'utf8').trim())?.s === 'complete'
  } catch {
    return false
  }
}

function foldersBeside(folder: string): string[] {
  const parent = dirname(folder)
  try {
    const entries = readdirSync(parent, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(parent, name))
  } catch {
    return []
  }
}
