import { isSecretName } from './secret-name.ts'
import type { Span } from './span.ts'

/** Names of what people choose themselves: such a value may be any word. Those of keys and tokens are made by programs. */
const CHOSEN = /PASS|PWD|PW$|SECRET|CRED|MNEMONIC|PAT$/i
/** How far a name reaches back, and how much of a value is looked at to judge it: what bounds the work per sign. */
const LONGEST_NAME = 80
const JUDGED = 512

/**
 * The value behind the name of a secret: `NAME=value`, `export NAME="…"`, JSON, YAML, query strings, options, connection
 * strings. The name stays. Words and expressions of programs are not secrets (`password: string`, `token = config.token`).
 */
export function assignedSecrets(text: string): Span[] {
  const spans: Span[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code !== COLON && code !== EQUALS) || !isSeparator(text, at)) continue
    const name = nameBefore(text, at)
    if (!MAYBE_SECRET.test(name) || !isSecretName(name)) continue
    const value = valueBehind(text, at)
    if (!value || !isSecret(text, name, value)) continue
    const end = value.end - value.start < JUDGED ? value.end : runFrom(text, value.end)
    spans.push({ start: value.start, end })
    at = end - 1
  }
  return spans
}

const COLON = 58
const EQUALS = 61
/** Most names are none; this is found out faster. */
const MAYBE_SECRET = /pass|pwd|pw$|psw|pat|token|secret|cred|key|auth|cookie|jwt|dsn|webhook|conn|bearer|mnemonic/i

function isSeparator(text: string, at: number): boolean {
  const [before, after] = [text[at - 1] ?? '', text[at + 1] ?? '']
  if (text[at] === ':') return after !== '=' && after !== ':' && before !== ':' && !text.startsWith('//', at + 1)
  return after !== '=' && after !== '~' && !'=!<>+*/%&|^~'.includes(before || ' ')
}

function nameBefore(text: string, at: number): string {
  let end = at
  for (let skipped = 0; skipped < 12 && end > 0 && ' \t\\"\'`]?:'.includes(text[end - 1]!); skipped++) end--
  let start = end
  while (start > 0 && end - start < LONGEST_NAME && isNameCharacter(text.charCodeAt(start - 1))) start--
  // In JSON a line break is written as a letter.
  if (text[start - 1] === '\\' && /[bfnrt]/.test(text[start] ?? '')) start++
  return text.slice(start, end)
}

function isNameCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  )
}

interface Value extends Span {
  readonly quote: string
  /** There is text between the sign and the value, or before the sign. */
  readonly isSpaced: boolean
  readonly sign: string
}

const OPENING = /(>?[ \t]{0,8})((?:[bfru]{1,2}(?=["']))?\\{0,8}["'`]?)/y
const BARE = /[^\s"'`,;<>\\(){}|…&\p{Cc}]{1,512}/uy
const RUN = /[^\s"'`,;<>\\(){}|…&\p{Cc}]*/uy
const REST_OF_LINE = /[^\s\\\p{Cc}]+(?=[ \t]*(?:\p{Cc}|$))/uy

function valueBehind(text: string, at: number): Value | undefined {
  OPENING.lastIndex = at + 1
  const [opening = '', space = '', quoted = ''] = OPENING.exec(text) ?? []
  const start = at + 1 + opening.length
  const quote = quoted.at(-1) ?? ''
  const isSpaced = space !== '' || /[ \t]/.test(text[at - 1] ?? '')
  if (space.startsWith('>') && quote === '') return undefined
  const found = { start, quote, isSpaced, sign: text[at]! }
  if (quote !== '') {
    const end = closing(text, start, quote, quoted.includes('\\'))
    if (end !== undefined) return { ...found, end }
  }
  const pattern =
    quote === '' && !isSpaced && isFirstOnLine(text, at) && restHasNoSpace(text, start) ? REST_OF_LINE : BARE
  pattern.lastIndex = start
  const bare = pattern.exec(text)
  return bare ? { ...found, end: start + bare[0].length } : undefined
}

/** The rest of a value that is longer than what it takes to judge it. */
function runFrom(text: string, from: number): number {
  RUN.lastIndex = from
  return from + (RUN.exec(text)?.[0].length ?? 0)
}

/** Where the quoted text ends on its line; undefined where it does not. */
function closing(text: string, start: number, quote: string, isEscaped: boolean): number | undefined {
  const most = Math.min(text.length, start + 1000)
  for (let at = start; at < most; at++) {
    const sign = text[at]!
    if (sign === '\n' || sign === '\r') return undefined
    if (sign === quote) return at
    if (sign === '\\') {
      if (isEscaped) return at
      at++
    }
  }
  return undefined
}

/** `export NAME=`, `12\tNAME=`, `+NAME=`: a line of a file with variables, where the value is the rest of the line. */
function isFirstOnLine(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - LONGEST_NAME - 30), at)
  return /(?:^|\p{Cc})[ \t+>-]{0,12}(?:\d{1,6}[ \t:|]{1,4})?(?:(?:export|set|ENV)[ \t]{1,4})?[A-Z][A-Z\d_]*$/u.test(
    before,
  )
}

function restHasNoSpace(text: string, start: number): boolean {
  const rest = /^[^\s\p{Cc}]{0,512}/u.exec(text.slice(start, start + JUDGED))![0]
  return /^[ \t]*(?:\p{Cc}|$)/u.test(text.slice(start + rest.length, start + rest.length + 20))
}

const PLACEHOLDER =
  /^(?:[*x.•_?-]+|<.*|\[.*|\{.*|%[sdvq@].*|\$[{(A-Za-z_].*|…|true|false|null|none|nil|undefined|yes|no|on|off|required|optional|string|number|boolean|any|unknown|never|text|hidden|changeme|redacted|\d{4}-\d\d-\d\d.*)$/i

function isSecret(text: string, name: string, { start, end, quote, isSpaced, sign }: Value): boolean {
  const value = text.slice(start, Math.min(end, start + JUDGED))
  if (PLACEHOLDER.test(value) || (isSpaced && quote !== '"' && quote !== "'" && /^[/^!]/.test(value))) return false
  const isChosen = CHOSEN.test(name)
  const isOption = name.startsWith('-')
  const isVariable = /^[A-Z][A-Z\d_]*$/.test(name)
  if (isOption && !isSpaced && sign === '=') return value.length >= 3 && (isChosen || !isExpression(value))
  if (isVariable && !isSpaced && sign === '=')
    return isChosen ? value.length >= 3 : value.length >= 6 && (isMixed(value) || isLong(value))
  if (/\s/.test(value)) return isVariable && isChosen && quote !== ''
  const isLineOfYaml = quote === '' && sign === ':' && /^[ \t]*(?:\p{Cc}|\\+[nr"]|"|$)/u.test(text.slice(end, end + 20))
  if (isVariable && isChosen)
    return value.length >= 3 && (!isExpression(value) || (isLineOfYaml && !isPathOfNames(value)))
  if (/^[~.]{0,2}\/[\w.@-]+(?:\/|$)/.test(value)) return false
  if (!isChosen) return value.length >= 8 && isMixed(value) && !isExpression(value)
  if (quote !== '') return value.length >= 6 && (hasSign(value) || /^[a-z]{12,}$/.test(value)) && !isPathOfNames(value)
  if (/^[!/^*&@%+~=-]/.test(value)) return false
  if (isConnectionString(text, start, end)) return value.length >= 3
  // A bare word in a program is a name; at the end of a line of YAML, or in a query, it is the value itself.
  const isLast = isLineOfYaml || (sign === '=' && /^(?:[\s&\p{Cc}\\"]|$)/u.test(text.slice(end, end + 1)))
  return (
    value.length >= 6 &&
    hasSign(value) &&
    (isExpression(value) ? isLast && !isPathOfNames(value) && isMixed(value) : true)
  )
}

/** Letters and digits: words and numbers alone are not keys. */
function isMixed(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value)
}

/** Not only letters and characters that join words. */
function hasSign(value: string): boolean {
  return /[A-Za-z]/.test(value) && /[^A-Za-z\s_.:/-]/.test(value)
}

function isLong(value: string): boolean {
  return value.length >= 20 && !/^[a-z]+(?:[-_. /][a-z]+)*$/i.test(value)
}

function isPathOfNames(value: string): boolean {
  return /^[A-Za-z_$][\w$]*(?:\??[.[][\w$\]]+)+$/.test(value)
}

/** `config.secretName` is an expression, not the secret. */
function isExpression(value: string): boolean {
  if (!/^[A-Za-z_$][\w$]*(?:\??[.[][\w$\]]+)*$/.test(value)) return false
  return !/\d/.test(value) || /[.[]|password|token|secret|key/i.test(value) || value.length < 16
}

/** `host=db user=ada password=word`, `Server=db;Uid=ada;Pwd=word`. */
function isConnectionString(text: string, start: number, end: number): boolean {
  const around = text.slice(Math.max(0, start - 200), start) + text.slice(end, end + 200).replace(/\n[\s\S]*/, '')
  return /(?:^|[\s;"'])(?:host|hostaddr|dbname|user|uid|user id|server|data source|initial catalog|database)=\S/i.test(
    around.replace(/^[\s\S]*\n/, ''),
  )
}
