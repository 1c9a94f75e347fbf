/** Variables whose value nobody outside may see. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD/i
const SHORTEST = 8
/** Words that stand in such a variable without being a secret. */
const TRIVIAL = /^(?:undefined|disabled|required|optional|changeme|(.)\1*)$/i

/** The values of secret variables as they may stand in an output: plain, in JSON, in an address. Longest first. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !SECRET_NAME.test(name)) continue
    // What ends a line in a file is not part of it on a screen.
    const secret = value.trim()
    if (secret.length < SHORTEST || TRIVIAL.test(secret)) continue
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) values.add(form)
  }
  return [...values].sort((a, b) => b.length - a.length)
}
