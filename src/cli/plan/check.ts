import { counted } from '../../team/wording.ts'
import { print, printJson, printMessage } from '../output/print.ts'
import { EXIT } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { plansNamed, problemLines } from './read.ts'

export const planCheck: SubCommand<object, [files: string[]]> = {
  example: '$ deskmates plan check phases/03-api/*.plan.jsonl',
  define(command) {
    command.argument('<files...>', 'plan files, or folders with plan files')
  },
  async run(call, _options, files) {
    const { plans, problems } = plansNamed(call, files)
    const isValid = problems.length === 0
    if (call.globals.json) await printJson(call, { valid: isValid, errors: problems })
    else if (!isValid) await print(call, `${problemLines(problems)}\n`)
    else {
      const tasks = plans.reduce((sum, plan) => sum + plan.tasks.length, 0)
      await printMessage(call, `${counted(plans.length, 'plan')} with ${counted(tasks, 'task')}: no problem found.`)
    }
    return isValid ? EXIT.done : EXIT.failed
  },
}
