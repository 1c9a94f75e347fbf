import type { Tool } from '../ports/tool.ts'

/** Who an agent is decides what it is offered. explore, plan and code are subagents. */
export type Role = 'lead' | 'teammate' | 'explore' | 'plan' | 'code'

const ALL: readonly Role[] = ['lead', 'teammate', 'explore', 'plan', 'code']

/** Which tool is offered to whom. Those who only look get bash under a policy that is read-only. */
const OFFERED: Readonly<Record<string, readonly Role[]>> = {
  bash: ALL,
  read_file: ALL,
  write_file: ['lead', 'teammate', 'code'],
  edit_file: ['lead', 'teammate', 'code'],
  glob: ALL,
  grep: ALL,
  TaskCreate: ['lead', 'teammate'],
  TaskUpdate: ['lead', 'teammate'],
  TaskList: ['lead', 'teammate'],
  TaskGet: ['lead'],
  SendMessage: ['lead', 'teammate'],
  Task: ['lead'],
  TaskOutput: ['lead'],
  TaskStop: ['lead'],
  TeamCreate: ['lead'],
  TeamDelete: ['lead'],
  Skill: ['lead'],
}

export function namesFor(role: Role): string[] {
  return Object.keys(OFFERED).filter((name) => OFFERED[name]!.includes(role))
}

/** Those of `tools` that have one of these names. */
export function pick(tools: readonly Tool[], names: readonly string[]): Tool[] {
  return tools.filter(({ name }) => names.includes(name))
}

/** Only who can look after a job may start one. */
export function mayRunInBackground(role: Role): boolean {
  return OFFERED.TaskOutput!.includes(role) && OFFERED.TaskStop!.includes(role)
}
