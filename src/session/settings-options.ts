import type { SupervisorSettings } from '../agent/session-context.ts'
import type { Settings } from '../settings/settings.ts'
import type { SessionOptions } from './session-options.ts'

/** What the settings files decide about a session, as options of `openSession`. */
export function settingsOptions(settings: Settings, env: NodeJS.ProcessEnv): Partial<SessionOptions> {
  return {
    permissions: settings.permissions,
    sandbox: settings.sandbox,
    hooks: settings.hooks,
    hooksFail: settings.hooksFail,
    spelling: settings.tools?.spelling,
    supervisor: supervisorSettings(settings),
    maxOutput: settings.maxOutputTokens,
    env: withoutKeys(env, settings),
    secrets: keysIn(env, settings),
  }
}

/** The settings count minutes, the supervisor seconds. */
function supervisorSettings({ team = {} }: Settings): Partial<SupervisorSettings> {
  const { stallMinutes, idleTimeoutMinutes, plans } = team
  return {
    ...(stallMinutes !== undefined && { stall: stallMinutes * 60 }),
    ...(idleTimeoutMinutes !== undefined && { idle: idleTimeoutMinutes * 60 }),
    ...(plans && { plans }),
  }
}

/** The settings may name any variable as the holder of a key (`keyFrom`). Commands of agents do not get it. */
function withoutKeys(env: NodeJS.ProcessEnv, { providers = {} }: Settings): NodeJS.ProcessEnv {
  const keys = new Set(Object.values(providers).map(({ keyFrom }) => keyFrom))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !keys.has(name)))
}

/** The values of those keys, which no transcript and no message may contain. */
function keysIn(env: NodeJS.ProcessEnv, { providers = {} }: Settings): string[] {
  return Object.values(providers).flatMap(({ keyFrom }) => (keyFrom && env[keyFrom] ? [env[keyFrom]] : []))
}
