import { realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { AlarmClock } from '../../journal/clock.ts'
import type { Acting, TeamHandle } from '../../journal/team-handle.ts'
import { findCrossPhase, isComplete, type KnownPlans } from '../../plan/cross-phase.ts'
import { loadOrder } from '../../plan/load-order.ts'
import type { Plan, Problem } from '../../plan/plan.ts'
import { draftOf } from '../../plan/plan-draft.ts'
import type { PlanDraft } from '../../team/plans/plan.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import type { Workspace } from '../../workspace.ts'
import { doubtOf, firstAgentMs, type GitQuestion } from './committed-summary.ts'
import { inTurn } from './load-turn.ts'
import { type PlanElsewhere, plansOfOtherTeams } from './other-teams.ts'

export interface LoadedNow {
  readonly plan: string
  readonly tasks: number
  /** Why nothing was to be done. */
  readonly note?: string
}

export interface PlansToLoad {
  /** Each behind those it waits for. */
  readonly drafts: readonly PlanDraft[]
  /** Complete by a summary or on another board: loading them would do their work again. */
  readonly complete: readonly LoadedNow[]
  /** Why they cannot be loaded. */
  readonly problems: readonly Problem[]
}

/** The team that loads, and where. */
export interface PlanLoading {
  readonly team: Pick<TeamHandle, 'name' | 'run' | 'state' | 'refresh'>
  readonly workspace: Pick<Workspace, 'store' | 'workspace' | 'teamsFolder'>
  readonly clock: AlarmClock
  readonly env: Readonly<Record<string, string | undefined>>
  /** What developers are told with every task. */
  readonly briefing?: string | undefined
}

/** What loading these plans would do. A plan has one team, which is the only writer of its summary. */
export async function plansToLoad(given: readonly Plan[], loading: PlanLoading): Promise<PlansToLoad> {
  const { team, workspace: place, env } = loading
  const { workspace } = place
  const others = await plansOfOtherTeams(place, { team: team.name, clock: loading.clock })
  const doubts = await doubtsOf(given, { root: workspace, env, firstAgent: () => firstAgentMs(place) })
  const known: KnownPlans = {
    onBoard: (id) => team.state.plans.get(id),
    elsewhere: (id, near) => found(others, id, (folder) => isNear(folder, folderOf(near, workspace))),
    doubt: (file) => doubts.get(file),
  }
  const complete: LoadedNow[] = []
  const problems: Problem[] = []
  const plans = given.filter((plan) => {
    if (team.state.plans.has(plan.id)) return true
    const folder = folderOf(plan, workspace)
    const other = found(others, plan.id, (one) => one === folder)
    if (folder === undefined) problems.push(isOutside(plan, workspace))
    else if (other && !other.isComplete) problems.push(isElsewhere(plan, other.team))
    const note = other?.isComplete
      ? completeIn(plan, other.team)
      : other
        ? undefined
        : completeBy(plan, workspace, known)
    if (note !== undefined) complete.push({ plan: plan.id, tasks: plan.tasks.length, note })
    return note === undefined
  })
  const ordered = loadOrder(plans, workspace, known)
  const drafts = ordered.order.map(({ plan, waitsFor }) =>
    draftOf(plan, { folder: folderOf(plan, workspace) ?? '', waitsFor, briefing: loading.briefing }),
  )
  return { drafts, complete, problems: [...problems, ...ordered.problems] }
}

/**
 * Puts the tasks of plans on the board; plans that are there already stay as they are. No other process loads plans of the
 * same folders meanwhile. Stops at the first refusal.
 */
export async function loadPlans(
  given: readonly Plan[],
  loading: PlanLoading,
  as?: Acting,
): Promise<readonly LoadedNow[] | { readonly problems: readonly Problem[] } | Refusal> {
  const folders = [...new Set(given.map(({ path }) => dirname(path)))].sort()
  const load = async () => {
    await loading.team.refresh()
    const { drafts, complete, problems } = await plansToLoad(given, loading)
    if (problems.length > 0) return { problems }
    const loaded = [...complete]
    for (const plan of drafts) {
      const answer = await loading.team.run({ type: 'plan.load', plan }, as)
      if (isRefusal(answer)) return answer
      loaded.push({ plan: plan.id, tasks: plan.tasks.length, ...(answer.note !== undefined && { note: answer.note }) })
    }
    return loaded
  }
  return folders.reduceRight<typeof load>((work, folder) => () => inTurn(folder, loading.clock, work), load)()
}

function found(others: readonly PlanElsewhere[], id: string, isMeant: (folder: string) => boolean) {
  const matching = others.filter(({ plan }) => plan.id === id && isMeant(plan.folder))
  const isComplete = ({ plan }: PlanElsewhere) => plan.summary?.s === 'complete'
  const other = matching.find((one) => !isComplete(one)) ?? matching[0]
  return other && { team: other.team, isComplete: isComplete(other) }
}

function isNear(folder: string, own: string | undefined): boolean {
  return own !== undefined && (folder === own || dirname(folder) === dirname(own))
}

/** Of every summary that may be looked at for these plans. */
async function doubtsOf(given: readonly Plan[], question: GitQuestion): Promise<ReadonlyMap<string, string>> {
  const files = given.flatMap((plan) => {
    const { d, xd } = plan.header
    const needed = [...d, ...xd.map(({ p, n }) => `${p}-${n}`)]
    const found = needed.flatMap((id) => findCrossPhase(dirname(plan.path), id).summaryFile ?? [])
    return [...found, summaryBeside(plan)].filter(isComplete)
  })
  const doubts = new Map<string, string>()
  for (const file of new Set(files)) {
    const doubt = await doubtOf(file, question)
    if (doubt !== undefined) doubts.set(file, doubt)
  }
  return doubts
}

function completeBy(plan: Plan, workspace: string, known: KnownPlans): string | undefined {
  const file = summaryBeside(plan)
  if (!isComplete(file) || known.doubt(file) !== undefined) return undefined
  return `Plan ${plan.id} is complete by ${relative(workspace, file)}. To run it again, remove that file.`
}

function completeIn({ id }: Plan, team: string): string {
  return `Plan ${id} is complete on the board of team ${team}. To run it again, delete that team and the summary of the plan.`
}

function isElsewhere({ id, path }: Plan, team: string): Problem {
  return {
    file: path,
    line: 1,
    problem: `plan ${id} is loaded by team ${team}, which writes its summary`,
    fix: `Continue it there with --team ${team}, or delete that team first: deskmates team delete ${team}`,
  }
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
