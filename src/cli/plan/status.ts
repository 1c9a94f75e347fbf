import { realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { type OpenTask, type PlanStatus, planStatus } from '../../plan/plan-status.ts'
import { findPlans, type TeamPlans } from '../../session/plan/find-plans.ts'
import { counted } from '../../team/wording.ts'
import { colours, oneLine } from '../output/format.ts'
import { print, printJson, printMessage, warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { explain, Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { withTeam } from '../workspace/open-team.ts'

interface Options {
  phaseDir?: string
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
    if (call.globals.json) return printJson(call, { teams })
    if (teams.length === 0) return printMessage(call, 'No plan is loaded. Load plans with: deskmates plan load FILES')
    await print(call, teams.map((team) => picture(call, team)).join('\n'))
  },
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

/** Of one plan; --json lists all. */
const MAX_SHOWN_TASKS = 30

function picture(call: Call, { team, plans }: TeamPlans): string {
  const { bold } = colours(call)
  return `${bold(team)}\n${plans.flatMap((plan) => planLines(call, plan)).join('\n')}\n`
}

function planLines(call: Call, { plan, title, wave, folder, tasks, open, summary }: PlanStatus): string[] {
  const { bold, dim } = colours(call)
  const done = `${tasks.completed} of ${counted(tasks.total, 'task')} completed`
  const ended = summary ? ` · ${summary.s}: ${folder === '' ? '' : `${folder}/`}${plan}.summary.jsonl` : ''
  const shown = open.slice(0, MAX_SHOWN_TASKS).map((task) => ({ id: shortId(task), words: inWords(task), task }))
  const width = (of: (row: (typeof shown)[number]) => string) => Math.max(0, ...shown.map((row) => of(row).length))
  const [ids, states] = [width(({ id }) => id), width(({ words }) => words)]
  const more = open.length - shown.length
  return [
    `  ${bold(plan)}  ${oneLine(title)}  ${dim(`wave ${wave} · ${done}${ended}`)}`,
    ...shown.map(
      ({ id, words, task }) => `    ${id.padEnd(ids)}  ${words.padEnd(states)}  ${dim(oneLine(task.subject, 60))}`,
    ),
    ...(more > 0 ? [`    ${counted(more, 'more open task')}: --json lists all of them`] : []),
  ]
}

function shortId({ task }: OpenTask): string {
  return task.slice(task.indexOf('/') + 1)
}

function inWords({ state, owner, waits_for: waitsFor }: OpenTask): string {
  switch (state) {
    case 'working':
      return `${owner} works on it`
    case 'ready':
      return 'ready'
    case 'person':
      return 'waits for a person'
    case 'blocked':
      return `waits for ${oneLine(waitsFor.join(', '), 60)}`
    case 'files':
      return `waits for the files of ${waitsFor.join(', ')}`
    case 'failed':
      return 'failed'
  }
}
