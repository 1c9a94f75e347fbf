import type { Organisation } from '../../organisation/definition/organisation.ts'
import { type ResolvedDepartments, resolveDepartments } from '../../organisation/departments/resolve-departments.ts'
import { departmentLines, spawnPlan } from '../../organisation/departments/spawn-plan.ts'
import { PLAN_CONFIG_FILE, type PlanConfig } from '../../plan/plan-config.ts'
import { resolveTeamMode } from '../../plan/team-mode.ts'
import { oneLine, table } from '../output/format.ts'
import { print, printJson, warn } from '../output/print.ts'
import { configNamed } from '../plan/config.ts'
import { validOrganisation } from '../plan/organisation.ts'
import type { SubCommand } from '../program/sub-command.ts'

interface Options {
  config?: string
  all?: boolean
}

export const orgShow: SubCommand<Options> = {
  example: `$ deskmates org show
$ deskmates org show --all --json | jq .handoffs`,
  define(command) {
    command
      .option('--config <file>', `the planning configuration; ${PLAN_CONFIG_FILE} if not given`)
      .option('--all', 'also its roles, steps, gates and hand-offs, and the planning configuration')
  },
  async run(call, { config, all }) {
    const organisation = validOrganisation(call)
    const { config: settings } = await configNamed(call, config)
    const resolved = resolveDepartments(organisation, settings)
    const { mode } = resolveTeamMode(settings, call.env)
    for (const warning of resolved.warnings) await warn(call, warning)
    const lines = departmentLines(organisation, resolved)
    const plan = spawnPlan(organisation, resolved, mode)
    if (call.globals.json) {
      const flags = Object.entries(lines).map(([key, value]) => [key, isFlag(value) ? value === 'true' : value])
      return printJson(call, {
        name: organisation.name,
        ...Object.fromEntries(flags),
        ...plan,
        ...(all && { ...described(organisation), config: settings ?? null }),
      })
    }
    const values = { ...lines, team_mode: mode, timeout_minutes: plan.timeout_minutes }
    await print(
      call,
      Object.entries(values)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(''),
    )
    await print(call, `\n${table(call, ['wave', 'departments', 'gate'], wavesOf(resolved))}`)
    if (!all) return
    await print(call, `\n${table(call, ['step', 'name', 'roles', 'leaves behind'], stepsOf(organisation))}`)
    await print(call, `\n${table(call, ['hand-off', 'from', 'to', 'by'], handoffsOf(organisation))}`)
    if (settings) await print(call, `\n${table(call, ['planning configuration', 'value'], valuesOf(settings))}`)
  },
}

function isFlag(value: string): boolean {
  return value === 'true' || value === 'false'
}

function wavesOf({ waves }: ResolvedDepartments): string[][] {
  return waves.map(({ id, departments, gates }) => [`wave ${id}`, departments.join(', '), gates.join(', ')])
}

function stepsOf({ steps }: Organisation): string[][] {
  return steps.map(({ step, name, roles, exit, skippable }) => [
    `step ${step}`,
    `${name}${skippable ? ' (may be skipped)' : ''}`,
    roles.join(', '),
    exit.join(', '),
  ])
}

function valuesOf(config: PlanConfig): string[][] {
  return Object.entries(config).map(([key, value]) => [oneLine(key), oneLine(JSON.stringify(value))])
}

function handoffsOf({ handoffs }: Organisation): string[][] {
  return [...handoffs].map(([type, { from, to, via, file }]) => [type, from.join(', '), to.join(', '), file ?? via])
}

/** The definition for programs, without the prompts of its roles. */
function described({ departments, roles, steps, gates, escalation, routing, handoffs, health }: Organisation) {
  return {
    departments: Object.fromEntries(departments),
    roles: Object.fromEntries([...roles].map(([name, { prompt: _, ...role }]) => [name, role])),
    steps,
    gates: Object.fromEntries(gates),
    escalation,
    routing,
    handoffs: Object.fromEntries(
      [...handoffs].map(([type, { schema, ...handoff }]) => [type, { ...handoff, fields: Object.keys(schema.shape) }]),
    ),
    health,
  }
}
