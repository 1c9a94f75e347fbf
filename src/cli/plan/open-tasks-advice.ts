import { PERSON_ROLE } from '../../plan/plan-draft.ts'
import type { PlanStatus } from '../../plan/plan-status.ts'

/** What a person does whom these tasks wait for. */
export function personAdvice(tasks: readonly string[], team: string): string {
  const [first] = tasks
  if (first === undefined) return ''
  const lines = [
    `deskmates team join NAME --role ${PERSON_ROLE} --kind human --team ${team}`,
    ...tasks.flatMap((id) => [
      `deskmates task claim ${id} --as NAME --team ${team}`,
      `deskmates task complete ${id} --as NAME --team ${team} --result TEXT`,
    ]),
  ]
  const refuse = `deskmates task fail ${first} --as NAME --team ${team} --reason TEXT`
  return `To agree, then run it again:\n${lines.map((line) => `  ${line}\n`).join('')}To refuse: ${refuse}\n`
}

/** The same for what is left of plans: checkpoints, and tasks that failed. */
export function openTasksAdvice(plans: readonly PlanStatus[], team: string): string {
  const open = plans.flatMap((plan) => plan.open)
  const of = (state: (typeof open)[number]['state']) =>
    open.filter((one) => one.state === state).map(({ task }) => task)
  const failed = of('failed').map((id) => `  deskmates task update ${id} --status pending --team ${team}\n`)
  const reopen = failed.length === 0 ? '' : `To try failed tasks once more, then run it again:\n${failed.join('')}`
  return `${personAdvice(of('person'), team)}${reopen}`
}
