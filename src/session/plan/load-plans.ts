import { realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { Acting, TeamHandle } from '../../journal/team-handle.ts'
import { isComplete } from '../../plan/cross-phase.ts'
import { loadOrder } from '../../plan/load-order.ts'
import type { Plan, Problem } from '../../plan/plan.ts'
import { draftOf } from '../../plan/plan-draft.ts'
import type { PlanDraft } from '../../team/plans/plan.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import type { TeamState } from '../../team/state.ts'

export interface LoadedNow {
  readonly plan: string
  readonly tasks: number
  /** Why nothing was to be done. */
  readonly note?: string
}

export interface PlansToLoad {
  /** Each behind those it waits for. */
  readonly drafts: readonly PlanDraft[]
  /** Complete by a summary of another board: loading them would do their work again. */
  readonly complete: readonly LoadedNow[]
  /** Why they cannot be loaded. */
  readonly problems: readonly Problem[]
}

export function plansToLoad(given: readonly Plan[], workspace: string, state: Pick<TeamState, 'plans'>): PlansToLoad {
  const complete = given.filter((plan) => !state.plans.has(plan.id) && isComplete(summaryBeside(plan)))
  const plans = given.filter((plan) => !complete.includes(plan))
  const { order, problems } = loadOrder(plans, workspace, (id) => state.plans.get(id))
  const outside = plans.flatMap((plan) => (folderOf(plan, workspace) === undefined ? [isOutside(plan, workspace)] : []))
  const drafts = order.map(({ plan, waitsFor }) => draftOf(plan, { folder: folderOf(plan, workspace) ?? '', waitsFor }))
  const notes = complete.map((plan) => ({
    plan: plan.id,
    tasks: plan.tasks.length,
    note: `Plan ${plan.id} is complete by ${relative(workspace, summaryBeside(plan))}. To run it again, remove that file.`,
  }))
  return { drafts, complete: notes, problems: [...outside, ...problems] }
}

/** Puts the tasks on the board; plans that are there already stay as they are. Stops at the first refusal. */
export async function loadPlans(
  team: Pick<TeamHandle, 'run'>,
  drafts: readonly PlanDraft[],
  as?: Acting,
): Promise<readonly LoadedNow[] | Refusal> {
  const loaded: LoadedNow[] = []
  for (const plan of drafts) {
    const answer = await team.run({ type: 'plan.load', plan }, as)
    if (isRefusal(answer)) return answer
    loaded.push({ plan: plan.id, tasks: plan.tasks.length, ...(answer.note !== undefined && { note: answer.note }) })
  }
  return loaded
}

function summaryBeside({ id, path }: Plan): string {
  return join(dirname(path), `${id}.summary.jsonl`)
}

/** The folder of its phase, relative to the workspace; undefined outside of it, where no summary may be written. */
export function folderOf({ path }: Plan, workspace: string): string | undefined {
  const folder = relative(realpathSync(workspace), realpathSync(dirname(path)))
  return folder === '..' || folder.startsWith(`..${sep}`) ? undefined : folder
}

function isOutside({ path }: Plan, workspace: string): Problem {
  return {
    file: path,
    line: 1,
    problem: `the folder of the plan is outside of the workspace ${workspace}, so its summary cannot be written`,
    fix: 'Move or copy the folder of the phase into the workspace.',
  }
}
