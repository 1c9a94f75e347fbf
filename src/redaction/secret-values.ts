import { isSecretName, secretsOfAddress } from './secret-name.ts'

const SHORTEST = 6
/** Values of such a variable that are not secret: words of settings, and one letter repeated. */
const COMMON =
  /^(?:undefined|disabled?|enabled?|required?|optional|changeme|default|string|number|always|before|prompt|manual|github|google|openai|ollama|bearer|basic auth|secret|password|passwd|example|testing|develop(?:ment)?|production|staging|localhost|redacted|\[redacted\]|keychain|keyring|wincred|osxkeychain|manager|keyfile|anonymous|postgres|public|private|(.)\1*)$/i

/** The values of secret variables as they may stand in an output: plain, in JSON, in an address. Longest first. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue
    for (const part of [...(isSecretName(name) && !isPath(value) ? [value] : []), ...secretsOfAddress(value)]) {
      // What ends a line in a file is not part of it on a screen.
      const secret = part.trim()
      if (!isSecretValue(secret)) continue
      for (const form of formsOf(secret)) values.add(form)
    }
  }
  return [...values].sort((a, b) => b.length - a.length)
}

/** Long and rare enough that every occurrence is the secret. */
function isSecretValue(value: string): boolean {
  return value.length >= SHORTEST && !COMMON.test(value) && !/^-?\d{1,9}$/.test(value)
}

/** `GOOGLE_APPLICATION_CREDENTIALS` names a file: its path is not a secret. */
function isPath(value: string): boolean {
  return /^(?:~|\.{1,2})?\/(?:[\w.@+-]+\/)*[\w@+-]+\.\w{1,12}$/.test(value)
}

function formsOf(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), decoded(secret)]
  return forms.filter((form) => form.length >= SHORTEST)
}

/** A password in an address is written as the address needs it; elsewhere it is plain. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Finds each of these texts, as they are. */
export function literalPattern(texts: readonly string[]): RegExp {
  return new RegExp(texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g')
}
