import type { OpenTask, PlanStatus } from '../../plan/plan-status.ts'
import type { TeamPlans } from '../../session/plan/find-plans.ts'
import { counted } from '../../team/wording.ts'
import { colours, oneLine } from '../output/format.ts'
import type { Call } from '../program/context.ts'

/** Of one plan; --json lists all. */
const MAX_SHOWN_TASKS = 30

/** The loaded plans of a team, drawn for a terminal. */
export function plansPicture(call: Call, { team, plans }: TeamPlans): string {
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
    ...shown.map(({ id, words, task }) => `    ${id.padEnd(ids)}  ${words.padEnd(states)}  ${dim(aboutTask(task))}`),
    ...(more > 0 ? [`    ${counted(more, 'more open task')}: --json lists all of them`] : []),
  ]
}

/** What it is about, and why it failed. */
function aboutTask({ subject, reason }: OpenTask): string {
  return `${oneLine(subject, 60)}${reason === null ? '' : `: ${oneLine(reason, 200)}`}`
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
