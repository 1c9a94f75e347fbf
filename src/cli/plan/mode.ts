import { PLAN_CONFIG_FILE } from '../../plan/plan-config.ts'
import { resolveTeamMode } from '../../plan/team-mode.ts'
import { print, printJson } from '../output/print.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { configNamed } from './config.ts'

interface Options {
  config?: string
}

export const planMode: SubCommand<Options> = {
  example: `$ deskmates plan mode --config ${PLAN_CONFIG_FILE}`,
  define(command) {
    command.option('--config <file>', `the planning configuration; ${PLAN_CONFIG_FILE} if not given`)
  },
  async run(call, options) {
    const { config } = await configNamed(call, options.config)
    const { mode, isFallback, autoDetected, reason } = resolveTeamMode(config, call.env)
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
