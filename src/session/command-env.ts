import { gitEnv } from '../permissions/sandbox/git/git-env.ts'
import { isSecretVariable } from '../redaction/secret-name.ts'

/** Variables that no command gets, even if the settings name them: they pay for models, or open other teams. */
const NEVER =
  /_API_KEY$|^(ANTHROPIC_AUTH_TOKEN|DESKMATES_STORE|DESKMATES_TRUST|DESKMATES_STATE|DESKMATES_MEMBER_TOKEN)$/

/** Variables that make bash run other code, or parse a line differently than the permission rules do. */
const CHANGES_BASH = /^(BASH_ENV|ENV|BASH_FUNC_.*|BASHOPTS|SHELLOPTS|CDPATH|GLOBIGNORE|IFS|PS4|PROMPT_COMMAND)$/

/**
 * The environment of the commands that agents run and of hooks. Secrets are left out, by their names and by passwords
 * in their values, unless the user lets commands see them by name (`sandbox.env`).
 */
export function commandEnv(
  env: Readonly<Record<string, string | undefined>>,
  also: readonly string[] = [],
): Record<string, string> {
  const passed = Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || NEVER.test(name) || CHANGES_BASH.test(name)) return []
    return also.includes(name) || !isSecretVariable(name, value) ? [[name, value] as const] : []
  })
  return { ...withoutGit(Object.fromEntries(passed)), ...gitEnv({ runsHooks: false }) }
}

/** Leaves out the git configuration of the user's shell (another configuration, repository or programs). */
function withoutGit(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || PASSED_GIT.test(name)))
}

/** Who commits. */
const PASSED_GIT = /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$/
