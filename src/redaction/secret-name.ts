/** Words that make a name secret anywhere in it: `PGPASSWORD`, `githubToken`, `AWS_SECRET_ACCESS_KEY_2`. */
const ANYWHERE =
  /PASSWORD|PASSWD|PASSPHRASE|PASSCODE|SECRET|CREDENTIAL|TOKEN(?!I[ZS])|API_?KEY|WEBHOOK|CONNECTION_?STRING|MNEMONIC|COOKIE/
/** Words that make a name secret when they are separate words of it or end it: `DB_PASS`, `SSHPASS`, `GH_PAT`, `MYSQL_PWD`. */
const LAST = /(?:^|_)(?:PAT|PW|PWD|PSW|AUTH|CREDS?|JWT|BEARER|CONN_STR|DSN)$|(?<!BY|COM|TRES|OVER|UNDER|SUR)PASS$/
const KEY = /KEY/
/** Names that contain one of the words and are not secret. */
const HARMLESS_KEY = /^(?:MON|TUR|DON|HOC|JOC|WHIS)?KEY(?:BOARD|MAP|TIMEOUT|RING|STROKE|FRAME|WORD|NOTE|PRESS|BIND)?S?$/
const WORKING_FOLDER = /^(?:OLD|INIT_)?PWD$/
/** The last word of a name that describes a secret instead of holding it. */
const DESCRIPTION =
  /_(?:FILE|PATH|DIR|FOLDER|SOCK|SOCKET|URL|URI|ENDPOINT|HOST|PORT|TTL|EXPIRY|EXPIRES|EXPIRATION|TIMEOUT|LENGTH|SIZE|COUNT|LIMIT|NAME|TYPE|ALGORITHM|ALG|ENABLED|RESET|REMAINING|LABEL|HINT|TEXT|MESSAGE|PLACEHOLDER|ERROR|TITLE|HELP|PATTERN|REGEXP?|FIELD|COLUMN|INDEX|POLICY|SCHEMA|RULES?|DISABLED|REQUIRED|VERSION|REGION|ARN|STORE|HELPER|PROVIDER)$|PASSFILE$/
const NUMBER_OF_TOKENS =
  /(?:^|_)(?:MAX|MIN|NUM|LIMIT|BUDGET|TOTAL|INPUT|OUTPUT|THINKING|COMPLETION|PROMPT)_(?:\w+_)?TOKENS$/

/**
 * Whether a variable, setting or field of this name contains a secret, by the words in it, in any spelling: `DB_PASSWORD`,
 * `db-password`, `dbPassword`. What only describes one (`TOKEN_FILE`, `MAX_TOKENS`, `PWD`) is none.
 */
export function isSecretName(name: string): boolean {
  // Longer names do not occur; a pattern over an endless one would cost time.
  const words = name
    .slice(0, 256)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z\d]+/g, '_')
    .toUpperCase()
    .replace(/_*\d*_*$/, '')
  if (WORKING_FOLDER.test(name) || /^(?:IS|HAS|SHOW|HIDE)_/.test(words) || NUMBER_OF_TOKENS.test(words)) return false
  if (/WEBHOOK|CONNECTION_?STRING/.test(words)) return true
  if (DESCRIPTION.test(words)) return false
  if (ANYWHERE.test(words) || LAST.test(words)) return true
  return words.split('_').some((word) => KEY.test(word) && (word === 'KEY' || !HARMLESS_KEY.test(word)))
}

/** The name says it, or the value is an address with a password or token in it (`DATABASE_URL`, `HTTPS_PROXY`). */
export function isSecretVariable(name: string, value: string): boolean {
  return isSecretName(name) || secretsOfAddress(value).length > 0
}

const ADDRESS = /[a-z][a-z\d+.-]{0,20}:\/\/([^\s/?#"'<>\\]{1,1000})@/gi
const PASSWORD_PARAMETER =
  /[?&;](?:password|passwd|pwd|pass|token|secret|api_?key|access_?key|sslpassword)=([^&;\s"'<>]{1,500})/gi

/** The passwords and tokens inside URLs: `user:PASSWORD@`, `TOKEN@`, `?password=PASSWORD`. */
export function secretsOfAddress(text: string): string[] {
  const found: string[] = []
  for (const [, login = ''] of text.matchAll(ADDRESS)) {
    const [name = '', ...rest] = login.split(':')
    const password = rest.join(':')
    // GitHub's form of a token as the name of a user.
    const isNameOnly = password === '' || password === 'x-oauth-basic'
    if (!isNameOnly) found.push(password)
    else if (isTokenLogin(name)) found.push(name)
  }
  for (const [, value = ''] of text.matchAll(PASSWORD_PARAMETER)) found.push(value)
  return found.filter((value) => value !== '')
}

/** `https://TOKEN@host`: a login without password is a token when no person is called so. */
export function isTokenLogin(login: string): boolean {
  return login.length >= 12 && /\d/.test(login) && /[A-Za-z]/.test(login) && !login.includes('%40')
}
