import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { isInside } from '../../permissions/paths/places.ts'
import { realPath } from '../../permissions/paths/safe-reads.ts'
import type { TeamEvent } from '../../team/event.ts'
import type { LoadedPlan } from '../../team/plans/plan.ts'
import { isPlanView } from '../../team/plans/plan-views.ts'
import { putPhaseFile } from './phase-file.ts'

/**
 * Makes `PP-NN.summary.jsonl` of every loaded plan say what the journal says: its summary, or nothing while tasks are open.
 * This is its only writer. Returns what could not be written, and why.
 */
export async function writeSummaries(team: Pick<TeamHandle, 'state' | 'loadLongTexts'>, workspace: string) {
  const problems: string[] = []
  for (const plan of await team.loadLongTexts([...team.state.plans.values()])) {
    try {
      const text = plan.summary ? `${JSON.stringify(plan.summary)}\n` : undefined
      putPhaseFile(workspace, plan.folder, summaryName(plan), text)
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  return problems
}

/** Where the summaries of the loaded plans and the files of their phases are, links resolved: commands may not change them. */
export function summaryPaths(
  { state }: Pick<TeamHandle, 'state'>,
  root: string,
  handOffFiles: readonly string[],
): string[] {
  const summaries = [...state.plans.values()].map((plan) => join(plan.folder, summaryName(plan)))
  const folders = new Set([...state.steps.values()].map(({ folder }) => folder))
  const views = [...folders].flatMap((folder) =>
    viewsIn(join(root, folder), handOffFiles).map((name) => join(folder, name)),
  )
  const paths = [...new Set([...summaries, ...views])].flatMap((path) => realPath(join(root, path)) ?? [])
  return paths.filter((path) => isInside(root, path))
}

function viewsIn(folder: string, handOffFiles: readonly string[]): string[] {
  try {
    return readdirSync(folder).filter((name) => isPlanView(name, handOffFiles))
  } catch {
    return []
  }
}

function summaryName({ id }: Pick<LoadedPlan, 'id'>): string {
  return `${id}.summary.jsonl`
}

const CHANGES_SUMMARY: ReadonlySet<TeamEvent['type']> = new Set(['plan.loaded', 'plan.ended', 'task.reopened'])

/** Keeps the summaries written while a session is open; the last time when it is closed. */
export function keepSummaries(team: TeamHandle, workspace: string, warn: (message: string) => void): AsyncDisposable {
  const reported = new Set<string>()
  const write = async () => {
    for (const message of await writeSummaries(team, workspace)) {
      if (!reported.has(message)) warn(message)
      reported.add(message)
    }
  }
  let written = write()
  const stopWatching = team.watch(({ events }) => {
    if (events.some(({ type }) => CHANGES_SUMMARY.has(type))) written = written.then(write)
  })
  return {
    async [Symbol.asyncDispose]() {
      stopWatching()
      await written.then(write)
    },
  }
}
