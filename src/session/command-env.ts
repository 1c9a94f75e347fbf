/** Variables that agents' commands must not see: whoever holds them pays for models or writes to the teams of others. */
const SECRET = /_API_KEY$|^(ANTHROPIC_AUTH_TOKEN|DESKMATES_STORE|DESKMATES_TRUST|DESKMATES_STATE)$/

/** The environment of the commands that agents run. */
export function commandEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined || SECRET.test(name) ? [] : [[name, value]])),
  )
}
