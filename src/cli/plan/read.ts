import { resolve } from 'node:path'
import type { Problem } from '../../plan/plan.ts'
import { type ReadPlans, readPlans } from '../../plan/read-plans.ts'
import { counted } from '../../team/wording.ts'
import { plain } from '../output/format.ts'
import type { Call } from '../program/context.ts'
import { Misused, Refused } from '../program/failure.ts'

export function plansNamed(call: Call, files: readonly string[]): ReadPlans {
  const folder = resolve(call.cwd, call.globals.cwd ?? '.')
  if (files.includes(''))
    throw new Misused('One of the files has an empty name. Name plan files, or folders with plan files.')
  return readPlans(files.map((file) => resolve(folder, file)))
}

/** The plans, for commands that need all of them valid. */
export function validPlans(call: Call, files: readonly string[]): ReadPlans['plans'] {
  const { plans, problems } = plansNamed(call, files)
  if (problems.length === 0) return plans
  throw new Refused(problemsFound(problems))
}

const IN = { invalid_plan: 'these plans', invalid_organisation: 'the organisation' } as const

/** What a command says that does nothing because of these problems. */
export function problemsFound(
  problems: readonly Problem[],
  code: keyof typeof IN = 'invalid_plan',
): { code: string; message: string } {
  const message = `${counted(problems.length, 'problem')} in ${IN[code]}; nothing was done.\n${problemLines(problems)}`
  return { code, message }
}

/** One line per mistake, in the form editors and grep use. */
export function problemLines(problems: readonly Problem[]): string {
  return problems.map(({ file, line, problem, fix }) => plain(`${file}:${line}: ${problem}. ${fix}`)).join('\n')
}
