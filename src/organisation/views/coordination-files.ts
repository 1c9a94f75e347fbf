/** Files of a phase that only coordinate departments. Everything else in its folder is an artefact. */
const COORDINATION = [
  /^\.dept-status-[a-z0-9_-]+\.json$/,
  /^\.handoff-[a-z0-9_-]+-complete$/,
  /^\.phase-orchestration\.json$/,
  /^\.[\w.-]+\.lock$/,
]

/** Whether `org cleanup` removes it. Plans, summaries, hand-offs and the state of the steps stay. */
export function isCoordinationFile(name: string): boolean {
  return COORDINATION.some((pattern) => pattern.test(name))
}

/** The empty file that tells scripts that a gate was passed: `.handoff-ux-complete` for the gate `handoff-ux-complete`. */
export function sentinelFile(gate: string): string | undefined {
  return /^handoff-[a-z0-9_-]+-complete$/.test(gate) ? `.${gate}` : undefined
}

export function departmentStatusFile(dept: string): string {
  return `.dept-status-${dept}.json`
}

export const EXECUTION_STATE_FILE = '.execution-state.json'
export const ORCHESTRATION_FILE = '.phase-orchestration.json'
