/** How the roles of a plan run: as one-shot subagents, or as teammates with mail. */
export type TeamMode = 'task' | 'teammate'
export const TEAM_MODES = ['task', 'teammate', 'auto'] as const
export type WantedMode = (typeof TEAM_MODES)[number]

export interface ResolvedMode {
  readonly mode: TeamMode
  /** Teammates were wanted, or would have been used, and are not available. */
  readonly isFallback: boolean
  /** Only for `auto`: teammates are available. */
  readonly autoDetected?: boolean
  readonly reason: string
}

/** Switches teammates on, as in the source documents. */
export const AGENT_TEAMS_VARIABLE = 'CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS'

/** Values of a variable that mean "off". */
const OFF = new Set(['', '0', 'false'])

export interface ModeSettings {
  /** Missing: `auto`. */
  readonly team_mode?: WantedMode
  /** Missing: true. */
  readonly agent_teams?: boolean
}

/** Teammates need the setting, `agent_teams` and the variable together. Without a configuration the mode is `task`. */
export function resolveTeamMode(settings: ModeSettings | undefined, env: NodeJS.ProcessEnv): ResolvedMode {
  if (!settings) return { mode: 'task', isFallback: false, reason: 'there is no configuration, so roles run one-shot' }
  const { team_mode: wanted = 'auto', agent_teams: isOn = true } = settings
  if (wanted === 'task') return { mode: 'task', isFallback: false, reason: 'the configuration says team_mode "task"' }
  const missing = whyNotAvailable(isOn, env)
  return {
    mode: missing === undefined ? 'teammate' : 'task',
    isFallback: missing !== undefined,
    ...(wanted === 'auto' && { autoDetected: missing === undefined }),
    reason: missing ?? `team_mode is "${wanted}", agent_teams is on and ${AGENT_TEAMS_VARIABLE} is set`,
  }
}

function whyNotAvailable(isOn: boolean, env: NodeJS.ProcessEnv): string | undefined {
  if (!isOn) return 'agent_teams is false, so teammates are not used; write "agent_teams": true to use them'
  const value = (env[AGENT_TEAMS_VARIABLE] ?? '').trim().toLowerCase()
  if (!OFF.has(value)) return undefined
  return `${AGENT_TEAMS_VARIABLE} is ${value === '' ? 'not set' : `"${value}"`}, so teammates are not used; set it to 1 to use them`
}
