import { MAX_DEVS } from '../../plan/dev-count.ts'
import { type FileConflict, sideBySide } from '../../plan/file-conflicts.ts'
import { type Group, groupsOf, orderOf } from '../../plan/layers.ts'
import { type Plan, taskIdOf } from '../../plan/plan.ts'
import { counted } from '../../team/wording.ts'
import { colours, oneLine } from '../output/format.ts'
import { print, printJson } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { validPlans } from './read.ts'

export const planShow: SubCommand<object, [files: string[]]> = {
  example: '$ deskmates plan show phases/03-api',
  define(command) {
    command.argument('<files...>', 'plan files, or folders with plan files')
  },
  async run(call, _options, files) {
    const plans = validPlans(call, files)
    const shown = describe(plans)
    if (call.globals.json) return printJson(call, shown)
    await print(call, picture(call, plans, shown))
  },
}

interface ShownPlans {
  readonly plans: readonly {
    readonly plan: string
    readonly title: string
    readonly wave: number
    readonly d: readonly string[]
    readonly groups: readonly Group[]
  }[]
  readonly layers: readonly (readonly string[])[]
  readonly critical_path: readonly string[]
  readonly conflicts: readonly FileConflict[]
  /** The most tasks that can run at the same time. */
  readonly parallelism: number
}

function describe(plans: readonly Plan[]): ShownPlans {
  const { layers, criticalPath } = orderOf(plans)
  const filesOf = new Map(plans.flatMap((plan) => plan.tasks.map((task) => [taskIdOf(plan, task), task.f] as const)))
  const sides = layers.map((layer) => sideBySide(layer.map((id) => ({ id, files: filesOf.get(id) ?? [] }))))
  return {
    plans: plans.map((plan) => ({
      plan: plan.id,
      title: plan.header.t,
      wave: plan.header.w,
      d: plan.header.d,
      groups: groupsOf(plan),
    })),
    layers,
    critical_path: criticalPath,
    conflicts: sides.flatMap(({ conflicts }) => conflicts),
    parallelism: sides.reduce((most, { together }) => Math.max(most, together.length), 0),
  }
}

const MAX_SHOWN_CONFLICTS = 20

function picture(call: Call, plans: readonly Plan[], shown: ShownPlans): string {
  const { bold, dim } = colours(call)
  const lines: string[] = []
  for (const [i, { plan, title, wave, d, groups }] of shown.plans.entries()) {
    const { tasks } = plans[i]!
    const after = d.length === 0 ? '' : ` · after ${d.join(', ')}`
    lines.push(`${bold(plan)}  ${oneLine(title)}  ${dim(`wave ${wave} · ${counted(tasks.length, 'task')}${after}`)}`)
    const byId = new Map(tasks.map((task) => [task.id, task]))
    for (const { group, tasks: ids } of groups)
      for (const [place, id] of ids.entries()) {
        const { a, td, tp } = byId.get(id)!
        const before = td.length === 0 ? '' : dim(` ← ${td.join(', ')}`)
        const waits = tp === 'auto' ? '' : dim(` · ${oneLine(tp, 40)}, waits for a person`)
        lines.push(
          `  ${dim(place === 0 ? String(group).padStart(3) : '  │')}  ${id.padEnd(4)} ${oneLine(a, 90)}${before}${waits}`,
        )
      }
    lines.push('')
  }
  const { critical_path: path, conflicts, parallelism } = shown
  lines.push(`critical path  ${counted(path.length, 'task')}: ${pathInWords(path)}`)
  const most = Math.min(parallelism, MAX_DEVS)
  lines.push(
    `parallel       at most ${counted(parallelism, 'task')} at the same time; ${counted(most, 'developer is', 'developers are')} started`,
  )
  for (const { task, with: other, path: file } of conflicts.slice(0, MAX_SHOWN_CONFLICTS))
    lines.push(`file conflict  ${task} waits for ${other}: both change ${oneLine(file)}`)
  if (conflicts.length > MAX_SHOWN_CONFLICTS)
    lines.push(`file conflict  ${conflicts.length - MAX_SHOWN_CONFLICTS} more; --json lists all of them`)
  return `${lines.join('\n')}\n`
}

const MAX_SHOWN_PATH = 12

function pathInWords(path: readonly string[]): string {
  if (path.length === 0) return 'none'
  if (path.length <= MAX_SHOWN_PATH) return path.join(' → ')
  const half = MAX_SHOWN_PATH / 2
  return [...path.slice(0, half), `(${path.length - 2 * half} more)`, ...path.slice(-half)].join(' → ')
}
