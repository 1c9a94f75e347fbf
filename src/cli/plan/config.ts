import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { keysWithoutEffect, PLAN_CONFIG_FILE, type PlanConfig, readPlanConfig } from '../../plan/plan-config.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { workspaceFolder } from '../workspace/workspace-folder.ts'

export interface NamedConfig {
  /** As the user or the default names it. */
  readonly file: string
  /** Undefined where there is no such file. */
  readonly config: PlanConfig | undefined
}

/** The configuration that the user named, from the current folder; else that of the workspace, wherever in it the user is. */
export async function configNamed(call: Call, named: string | undefined): Promise<NamedConfig> {
  const folder = resolve(call.cwd, call.globals.cwd ?? '.')
  const path = named === undefined ? join(workspaceFolder(call), PLAN_CONFIG_FILE) : resolve(folder, named)
  if (named !== undefined && !existsSync(path))
    await warn(call, `--config: ${path} does not exist, so there is no planning configuration.`)
  const [file, config] = [named ?? PLAN_CONFIG_FILE, readPlanConfig(path)]
  const idle = config === undefined ? [] : keysWithoutEffect(config)
  if (idle.length > 0) await warn(call, `${file}: no command follows ${idle.join(', ')}.`)
  return { file, config }
}
