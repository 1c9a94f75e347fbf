import { loadPlans } from '../../session/plan/load-plans.ts'
import { isRefusal } from '../../team/refusal.ts'
import { counted } from '../../team/wording.ts'
import { printJson, printMessage } from '../output/print.ts'
import { Refused, refused } from '../program/failure.ts'
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
    await withTeam(call, 'create', async (team, workspace) => {
      const loaded = await loadPlans(plans, { team, workspace, clock: call.clock, env: call.env })
      if (isRefusal(loaded)) throw refused(loaded)
      if ('problems' in loaded) throw new Refused(problemsFound(loaded.problems))
      if (call.globals.json) return printJson(call, { team: team.name, plans: loaded })
      for (const { plan, tasks, note } of loaded)
        await printMessage(call, note ?? `Plan ${plan} loaded: ${counted(tasks, 'task')} on the board of ${team.name}.`)
    })
  },
}
