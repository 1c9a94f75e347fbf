import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AlarmClock, systemClock } from '../../src/journal/clock.ts'
import { openTeam } from '../../src/journal/team-handle.ts'
import { resolveDepartments } from '../../src/organisation/departments/resolve-departments.ts'
import { spawnPlan, teamOf } from '../../src/organisation/departments/spawn-plan.ts'
import { createRoleRules } from '../../src/organisation/roles/role-rules.ts'
import { openSession } from '../../src/session/open-session.ts'
import { openPhase } from '../../src/session/organisation/phase.ts'
import { type OrganisationEnd, runOrganisation } from '../../src/session/organisation/run-organisation.ts'
import type { Session } from '../../src/session/session.ts'
import type { TeamEvent } from '../../src/team/event.ts'
import { readAll } from '../../src/testing/contracts/read-all.ts'
import { composedModel } from '../../src/testing/harnesses/composed-model.ts'
import { engineering } from '../../src/testing/harnesses/organisation-harness.ts'
import type { Workspace } from '../../src/workspace.ts'
import { work } from '../cli/example-agents.mjs'
import { header, task, writeLines } from '../cli/plan-files.ts'

/** Two departments in one phase, run by a process whose backend, or which itself, may be killed and then run again. */
const PHASE = 'phases/03-api'
const DEPARTMENTS = ['backend', 'frontend']
const organisation = engineering()

/** The task by which the code of the plan is reviewed: the first one was the design review. */
const REVIEW = '2'

/** When the backend is disturbed: behind an event of its team. */
export const MOMENTS: Readonly<Record<string, (event: TeamEvent) => boolean>> = {
  'a task is claimed': (event) => event.type === 'task.claimed' && event.id === '03-01/T2',
  'a step begins': (event) => event.type === 'step.changed' && event.step === 6 && event.status === 'started',
  'the task of its review is made': (event) => event.type === 'task.created' && event.id === REVIEW,
  'its review is under way': (event) => event.type === 'task.claimed' && event.id === REVIEW,
}

export function writePhase(dir: string): void {
  mkdirSync(join(dir, PHASE), { recursive: true })
  writeLines(dir, join(PHASE, 'reqs.jsonl'), { id: 'R1', t: 'Users are listed' })
  const tasks = ['T1', 'T2', 'T3'].map((id) =>
    task(id, { f: [`src/api/${id}.ts`], ...(id === 'T3' && { td: ['T1'] }) }),
  )
  writeLines(dir, join(PHASE, '03-01.plan.jsonl'), header('01'), ...tasks)
  writeLines(dir, join(PHASE, '03-02.plan.jsonl'), header('02'), task('T1', { f: ['src/pages/users.tsx'] }))
}

/** Before the first step of the backend. */
export const AT_ONCE = 'it was just opened'

/** What `deskmates org run` does, up to what it prints. */
export async function runPhase(
  workspace: Workspace,
  moment = '',
  disturb: (backend: Session) => void = () => {},
  { signal = new AbortController().signal, clock = systemClock }: { signal?: AbortSignal; clock?: AlarmClock } = {},
): Promise<OrganisationEnd> {
  const config = { departments: { frontend: true }, department_workflow: 'parallel' }
  const departments = resolveDepartments(organisation, config)
  const phase = openPhase(workspace, join(workspace.workspace, PHASE), organisation, departments)
  return runOrganisation({
    ...{ phase, workspace, clock, env: {}, signal, approvalGates: {} },
    orchestration: spawnPlan(organisation, departments, 'teammate'),
    async openDepartment(name) {
      const session = await openSession({
        ...{ workspace, team: teamOf(organisation, name), sandbox: { mode: 'off' }, env: { PATH: process.env.PATH } },
        model: composedModel(({ turns }) => work(turns)).model,
        permissions: { mode: 'bypassPermissions' },
        scaling: ['senior', 'dev'].map((role) => ({ role, cap: 2, mode: 'teammate' as const })),
        roles: createRoleRules({ organisation, department: name, folder: phase.folder }),
        ...{ keepsMembers: true, clock, signal },
      })
      if (name === 'backend' && moment === AT_ONCE) disturb(session)
      const at = MOMENTS[moment]
      if (name === 'backend' && at)
        session.team.watch(({ events }) => {
          if (events.some(at)) disturb(session)
        })
      return session
    },
    whySkipped: (_, { step, skippable }) => (skippable ? `step ${step} is left out` : undefined),
    report: async () => {},
  })
}

/** The boards without names and times, how many tasks were completed, and all files. */
export async function leftBy(workspace: Workspace) {
  const boards: Record<string, string[]> = {}
  let completions = 0
  for (const name of DEPARTMENTS) {
    await using team = await openTeam(workspace.store, teamOf(organisation, name))
    await team.refresh()
    boards[name] = [...team.state.tasks.values()]
      .map((one) => `${one.subject}: ${one.status === 'completed' ? one.result : one.status}`)
      .sort()
    const records = await readAll(team.log)
    const events = records.flatMap(({ record }) => record.events as unknown as readonly TeamEvent[])
    completions += events.filter(({ type }) => type === 'task.completed').length
  }
  const path = join(workspace.workspace, PHASE)
  const timeless = (text: string) => text.replace(/"[\w]*_at": ?"[^"]*"|"dt": ?"[^"]*"/g, '')
  const files = Object.fromEntries(
    readdirSync(path)
      .sort()
      .map((file) => [file, timeless(readFileSync(join(path, file), 'utf8'))]),
  )
  return { boards, completions, files }
}
