import { resolve } from 'node:path'
import { PLAN_CONFIG_FILE, readPlanConfig } from '../../plan/plan-config.ts'
import { resolveTeamMode } from '../../plan/team-mode.ts'
import { print, printJson } from '../output/print.ts'
import type { SubCommand } from '../program/sub-command.ts'

interface Options {
  config?: string
}

export const planMode: SubCommand<Options> = {
  example: `$ deskmates plan mode --config ${PLAN_CONFIG_FILE}`,
  define(command) {
    command.option('--config <file>', `the planning configuration; ${PLAN_CONFIG_FILE} if not given`)
  },
  async run(call, { config = PLAN_CONFIG_FILE }) {
    const settings = readPlanConfig(resolve(call.cwd, call.globals.cwd ?? '.', config))
    const { mode, isFallback, autoDetected, reason } = resolveTeamMode(settings, call.env)
    const shown = {
      team_mode: mode,
      fallback_notice: isFallback,
      ...(autoDetected !== undefined && { auto_detected: autoDetected }),
      reason,
    }
    if (call.globals.json) return printJson(call, shown)
    await print(
      call,
      Object.entries(shown)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(''),
    )
  },
}
