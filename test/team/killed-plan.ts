import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionEvent } from '../../src/agent/session-event.ts'
import { systemClock } from '../../src/journal/clock.ts'
import { readPlans } from '../../src/plan/read-plans.ts'
import { openSession } from '../../src/session/open-session.ts'
import { loadPlans } from '../../src/session/plan/load-plans.ts'
import type { TeamEvent } from '../../src/team/event.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { composedModel } from '../../src/testing/harnesses/composed-model.ts'
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

/** What `deskmates plan run p` does, up to what it prints. */
export async function runPlans(workspace: Workspace, mode: Mode, moment = '', die = () => {}): Promise<string> {
  const { plans } = readPlans([join(workspace.workspace, 'p')])
  await using session = await openSession({
    workspace,
    model: composedModel(({ turns }) => develop(turns)).model,
    team: TEAM,
    sandbox: { mode: 'off' },
    permissions: { mode: 'bypassPermissions' },
    env: { PATH: process.env.PATH },
    scaling: [{ role: 'dev', cap: 3, mode }],
  })
  const at = MOMENTS[moment]
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

/** The files that a run of these plans leaves, besides the board. */
export function filesOf(dir: string): string[] {
  const written = ['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7', 'x'].map((name) => `src/${name}.ts`)
  return [...written, 'p/03-01.summary.jsonl', 'p/03-02.summary.jsonl'].map((file) =>
    readFileSync(join(dir, file), 'utf8'),
  )
}
