import { statSync } from 'node:fs'
import { z } from 'zod'
import { TeamError } from '../team/errors.ts'
import { readText } from './read-text.ts'
import { repeatedKey } from './repeated-key.ts'
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

const WITHOUT_EFFECT = [
  'effort',
  'autonomy',
  'verification_tier',
  'max_tasks_per_plan',
  'cross_team_handoff',
] as const satisfies readonly (keyof PlanConfig)[]

/** Keys of the source documents that nothing here follows, and that have another value than the default. */
export function keysWithoutEffect(config: PlanConfig): string[] {
  const defaults = PlanConfig.parse({})
  return WITHOUT_EFFECT.filter((key) => config[key] !== defaults[key])
}

/** Where the source documents keep it, relative to the workspace. */
export const PLAN_CONFIG_FILE = '.yolo-planning/config.json'

const MAX_CONFIG_BYTES = 2 ** 20

/** Undefined where there is no such file. */
export function readPlanConfig(path: string): PlanConfig | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  const read = readText(path, { maxBytes: MAX_CONFIG_BYTES, ifMissing: 'Check the path.' })
  if (!('text' in read)) throw new InvalidPlanConfig(`${path} is not valid: ${read.problem}. ${read.fix}`)
  return parsePlanConfig(path, read.text.replace(/^\uFEFF/, ''))
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
  const twice = repeatedKey(text)
  const wrong = [
    ...(parsed.error?.issues ?? []).map(({ path: key, message }) => `${key.join('.') || 'the file'}: ${message}`),
    ...(twice === undefined ? [] : [`${twice}: it is there twice`]),
    ...misspelled(value),
  ]
  if (parsed.success && wrong.length === 0) return parsed.data
  throw new InvalidPlanConfig(`${path} is not valid. ${wrong.join('; ')}. Correct these keys, or remove them.`)
}

/** Other keys belong to other programs; one that is ours but for its spelling would silently have no effect. */
function misspelled(value: unknown): string[] {
  const plain = (key: string) => key.toLowerCase().replace(/[^a-z]/g, '')
  const known = new Map(Object.keys(PlanConfig.shape).map((key) => [plain(key), key]))
  return Object.keys(Object(value)).flatMap((key) => {
    const meant = known.get(plain(key))
    return meant === undefined || meant === key ? [] : [`${key}: it is written ${meant}`]
  })
}
