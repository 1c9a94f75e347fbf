import processes, { type SpawnOptions } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import type { SessionEvent } from '../../src/agent/session-event.ts'
import { systemClock } from '../../src/journal/clock.ts'
import type { Turn } from '../../src/models/model.ts'
import { createPlanRouting } from '../../src/organisation/routing/plan-routing.ts'
import { readPlans } from '../../src/plan/read-plans.ts'
import { openSession } from '../../src/session/open-session.ts'
import { loadPlans } from '../../src/session/plan/load-plans.ts'
import type { TeamEvent } from '../../src/team/event.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { composedModel } from '../../src/testing/harnesses/composed-model.ts'
import { engineering } from '../../src/testing/harnesses/organisation-harness.ts'
import type { Workspace } from '../../src/workspace.ts'
import { develop } from '../cli/plan-developer.mjs'

/** The plans of test/cli/plan-files.ts, run by a process that may be killed anywhere and then run again. */
export const TEAM = 'phase-03'
export type Mode = 'task' | 'teammate'

/** When the process may be killed: behind an event of the team, or of an agent. */
export const MOMENTS: Readonly<
  Record<string, { team?(event: TeamEvent): boolean; agent?(event: SessionEvent): boolean }>
> = {
  'the first plan is loaded': { team: (event) => event.type === 'plan.loaded' && event.plan === '03-01' },
  'the second plan is loaded': { team: (event) => event.type === 'plan.loaded' && event.plan === '03-02' },
  'a developer has joined': { team: (event) => event.type === 'member.joined' && event.name !== 'lead' },
  'a task is claimed': { team: (event) => event.type === 'task.claimed' && event.id === '03-01/T2' },
  'a developer has received its task': { agent: (event) => event.type === 'input_received' },
  'a file is about to be written': {
    agent: (event) => event.type === 'tool_started' && event.call.toolName === 'write_file',
  },
  'a task is about to be completed': {
    agent: (event) => event.type === 'tool_started' && event.call.toolName === 'TaskUpdate',
  },
  'a task is completed': { team: (event) => event.type === 'task.completed' && event.id === '03-01/T2' },
  'the first plan has ended': { team: (event) => event.type === 'plan.ended' && event.plan === '03-01' },
  'both plans have ended': { team: (event) => event.type === 'plan.ended' && event.plan === '03-02' },
}

/** When a process that commits may be killed: before or behind the program that moves the branch. */
export const COMMIT_MOMENTS: Readonly<Record<string, { program: 'before' | 'after' } | (typeof MOMENTS)[string]>> = {
  'the first work of a task begins': { team: ({ type }) => type === 'task.baseline' },
  'the branch is about to move to a commit': { program: 'before' },
  'a commit is made and not yet on record': { program: 'after' },
  'a commit is on record': { team: (event) => event.type === 'task.completed' && event.commit != null },
  'a plan with commits has ended and has no summary file': {
    team: (event) => event.type === 'plan.ended' && event.plan === '03-01',
  },
}

/** When a process may be killed whose one-shot developers hand over by their answers. */
export const ANSWER_MOMENTS: typeof MOMENTS = {
  'a task is completed, and its agent has not answered': {
    team: (event) => event.type === 'task.completed' && event.id === '03-01/T2',
  },
  'an answer is given, and not yet on record': {
    agent: (event) => event.type === 'answered' && JSON.stringify(event.reply.turn).includes('dev_progress'),
  },
  'an answer is on record, and its agent has not stopped': { team: ({ type }) => type === 'handoff.recorded' },
}

/** By the organisation of the template, each developer hands over a `dev_progress` with its final answer. */
const routing = createPlanRouting({ organisation: engineering(), department: 'backend', folder: 'p' })

function developAndHandOver(turns: readonly Turn[]) {
  const next = develop(turns)
  const [, task] = /<task id=\\"(\d\d-\d\d\/T\d+)/.exec(JSON.stringify(turns)) ?? []
  if (task === undefined || next.text !== 'Done.') return next
  const report = { type: 'dev_progress', task, plan_id: task.slice(0, 5), commit: 'none', status: 'complete' }
  return { text: JSON.stringify({ ...report, concerns: [] }) }
}

export interface PlanRunOptions {
  /** Developers hand over with their answers. */
  readonly answers?: boolean
  readonly mode: Mode
  /** In a repository, with a sandbox. */
  readonly commits?: boolean
  readonly moment?: string
  die?(): void
}

/** What `deskmates plan run p` does, up to what it prints. */
export async function runPlans(workspace: Workspace, options: PlanRunOptions): Promise<string> {
  const { mode, commits = false, answers = false, moment = '', die = () => {} } = options
  const { plans } = readPlans([join(workspace.workspace, 'p')])
  await using session = await openSession({
    workspace,
    model: composedModel(({ turns }) => (answers ? developAndHandOver(turns) : develop(turns))).model,
    ...(answers && { routing }),
    team: TEAM,
    sandbox: { mode: commits ? 'require' : 'off' },
    autoCommit: commits,
    permissions: { mode: 'bypassPermissions' },
    env: { PATH: process.env.PATH },
    scaling: [{ role: 'dev', cap: 3, mode }],
  })
  const found = (commits ? COMMIT_MOMENTS : answers ? ANSWER_MOMENTS : MOMENTS)[moment]
  const at = found && 'program' in found ? undefined : found
  session.team.watch(({ events }) => {
    if (at?.team && events.some(at.team)) die()
  })
  const loaded = await loadPlans(plans, { team: session.team, workspace, clock: systemClock, env: {} })
  if (isRefusal(loaded) || 'problems' in loaded) throw new Error('the plans were not loaded')
  const loop = session.run()
  let step = await loop.next()
  for (; !step.done; step = await loop.next()) if (at?.agent?.(step.value)) die()
  return step.value.kind
}

/** Calls `die` right before git moves a branch, or right behind it. */
export function watchBranch(when: 'before' | 'after', die: () => void): void {
  const { spawn } = processes
  processes.spawn = ((file: string, args: readonly string[], options: SpawnOptions) => {
    const isMove = args.includes('update-ref')
    if (isMove && when === 'before') die()
    const child = spawn(file, args, options)
    if (isMove) child.on('exit', die)
    return child
  }) as typeof spawn
  syncBuiltinESMExports()
}

/** The files that a run of these plans leaves, besides the board. The hashes of commits hold the time. */
export function filesOf(dir: string): string[] {
  const written = readdirSync(join(dir, 'src')).map((name) => `src/${name}`)
  return [...written.sort(), 'p/03-01.summary.jsonl', 'p/03-02.summary.jsonl'].map((file) =>
    readFileSync(join(dir, file), 'utf8').replace(/"[0-9a-f]{10}"/g, '"COMMIT"'),
  )
}
