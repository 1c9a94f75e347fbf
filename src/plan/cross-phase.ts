import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LoadedPlan } from '../team/plans/plan.ts'
import type { Plan, Problem } from './plan.ts'

/** Where a plan of another phase and its summary are: in the folder itself, or in a folder beside it (`phases/01-setup/`). */
export function findCrossPhase(folder: string, id: string): { planFile?: string; summaryFile?: string } {
  const find = (name: string) => [folder, ...foldersBeside(folder)].map((place) => join(place, name)).find(existsSync)
  const planFile = find(`${id}.plan.jsonl`)
  const summaryFile = find(`${id}.summary.jsonl`)
  return { ...(planFile !== undefined && { planFile }), ...(summaryFile !== undefined && { summaryFile }) }
}

/** What plans of other phases still owe to this one: each must be complete, with its artefact in the workspace. */
export function unmetCrossPhase(
  plan: Plan,
  workspace: string,
  onBoard: (id: string) => Pick<LoadedPlan, 'summary'> | undefined,
): Problem[] {
  return plan.header.xd.flatMap(({ p, n, a, r }) => {
    const id = `${p}-${n}`
    const why = r === undefined ? '' : ` (${r})`
    const report = (problem: string, fix: string) => [{ file: plan.path, line: 1, problem: `${problem}${why}`, fix }]
    const loaded = onBoard(id)
    if (loaded && loaded.summary?.s !== 'complete')
      return report(`plan ${id} of another phase is not complete on the board`, `Run ${id} first, then load this plan.`)
    const { summaryFile } = findCrossPhase(dirname(plan.path), id)
    if (loaded) return missingArtefact(a)
    if (summaryFile === undefined || !isComplete(summaryFile)) {
      const state = summaryFile === undefined ? 'has no summary' : `is not complete by ${summaryFile}`
      return report(`plan ${id} of another phase ${state}`, `Run ${id} first, then load this plan again.`)
    }
    return missingArtefact(a)

    function missingArtefact(path: string | undefined): Problem[] {
      if (path === undefined || existsSync(join(workspace, path))) return []
      return report(`plan ${id} is complete, but ${path} is missing`, `Restore ${path}, or correct "a" in "xd".`)
    }
  })
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
