import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { TeamError } from '../team/errors.ts'
import { TEAM_MODES } from './team-mode.ts'

/** A planning configuration is broken; it never falls back to a default silently. */
export class InvalidPlanConfig extends TeamError {
  readonly code = 'invalid_plan_config'
}

const gates = { qa_fail: false, security_warn: false, code_review: false, manual_qa: false }

/** `.yolo-planning/config.json`: every key with its default, as the source documents have them. */
export const PlanConfig = z.looseObject({
  effort: z.string().default('balanced'),
  autonomy: z.string().default('standard'),
  /** Only switches off: every role may write this file, so the settings or the organisation switch commits on. */
  auto_commit: z.boolean().optional(),
  verification_tier: z.string().default('standard'),
  max_tasks_per_plan: z.number().int().positive().default(5),
  agent_teams: z.boolean().default(true),
  team_mode: z.enum(TEAM_MODES).default('auto'),
  security_audit: z.boolean().default(false),
  approval_gates: z
    .looseObject(Object.fromEntries(Object.entries(gates).map(([key, off]) => [key, z.boolean().default(off)])))
    .default(gates),
  /** Their defaults, and which names there are, are those of the organisation. */
  departments: z.record(z.string(), z.boolean()).optional(),
  department_workflow: z.string().min(1).optional(),
  cross_team_handoff: z.boolean().default(false),
})
export type PlanConfig = z.infer<typeof PlanConfig>

/** Where the source documents keep it, relative to the workspace. */
export const PLAN_CONFIG_FILE = '.yolo-planning/config.json'

/** Undefined where there is no such file. */
export function readPlanConfig(path: string): PlanConfig | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new InvalidPlanConfig(`${path} cannot be read: ${(error as Error).message}.`, { cause: error })
  }
  return parsePlanConfig(path, text)
}

/** Parses the text of a configuration file; says every wrong key at once. */
function parsePlanConfig(path: string, text: string): PlanConfig {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new InvalidPlanConfig(`${path} is not JSON: ${(error as Error).message}. Correct the file, or remove it.`)
  }
  const parsed = PlanConfig.safeParse(value)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path: key, message }) => `${key.join('.') || 'the file'}: ${message}`)
  throw new InvalidPlanConfig(`${path} is not valid. ${wrong.join('; ')}. Correct these keys, or remove them.`)
}
