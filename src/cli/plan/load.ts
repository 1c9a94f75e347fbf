import { dirname, relative } from 'node:path'
import { loadOrder } from '../../plan/load-order.ts'
import { draftOf } from '../../plan/plan-draft.ts'
import { counted } from '../../team/wording.ts'
import { printJson, printMessage } from '../output/print.ts'
import { granted, Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { withTeam } from '../workspace/open-team.ts'
import { problemsFound, validPlans } from './read.ts'

export const planLoad: SubCommand<object, [files: string[]]> = {
  example: '$ deskmates plan load phases/03-api --team web',
  instead: () => 'Only the lead and people load plans; create tasks with TaskCreate.',
  define(command) {
    command.argument('<files...>', 'plan files, or folders with plan files')
  },
  async run(call, _options, files) {
    const plans = validPlans(call, files)
    await withTeam(call, 'create', async (team, { workspace }) => {
      const tasksOnBoard = (id: string) => team.state.plans.get(id)?.tasks
      const { order, problems } = loadOrder(plans, workspace, tasksOnBoard)
      if (problems.length > 0) throw new Refused(problemsFound(problems))
      const drafts = order.map(({ plan, waitsFor }) =>
        draftOf(plan, { folder: relative(workspace, dirname(plan.path)), waitsFor }),
      )
      const loaded: { plan: string; tasks: number; note?: string }[] = []
      for (const draft of drafts) {
        const { note } = granted(await team.run({ type: 'plan.load', plan: draft }))
        loaded.push({ plan: draft.id, tasks: draft.tasks.length, ...(note !== undefined && { note }) })
      }
      if (call.globals.json) return printJson(call, { team: team.name, plans: loaded })
      for (const { plan, tasks, note } of loaded)
        await printMessage(call, note ?? `Plan ${plan} loaded: ${counted(tasks, 'task')} on the board of ${team.name}.`)
    })
  },
}
