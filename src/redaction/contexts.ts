import { isTokenLogin } from './secret-name.ts'
import type { Span } from './span.ts'

/**
 * Secrets that are recognised by the text before them: URLs, headers, command lines, `.netrc`. Every repetition is
 * bounded, so that no text makes a pattern scan the same place again and again.
 */
interface Context {
  readonly name: string
  /** Group 1: what stays; group 2: what goes. */
  readonly pattern: RegExp
  /** Whether it is a secret and not a word or an expression. `before` is some hundred characters before it. */
  isSecret?(value: string, before: string, kept: string): boolean
}

const CONTEXTS: readonly Context[] = [
  {
    name: 'password in an address',
    pattern: /(:\/\/[^\s/:@"'`<>\\]{0,100}:)([^\s/"'`<>\\]{1,200})(?=@)/g,
    isSecret: (value) => !PLACEHOLDER.test(value),
  },
  {
    name: 'token in an address',
    pattern: /(:\/\/)([^\s/:@"'`<>\\]{12,400})(?=(?::x-oauth-basic|:)?@)/g,
    isSecret: isTokenLogin,
  },
  {
    name: 'authorization header',
    pattern:
      /(Authorization\\{0,8}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,8}["']?(?:(?:Basic|Bearer|Token|Digest|ApiKey|Negotiate|AWS4-HMAC-SHA256)[ \t]{1,8})?)([\w.~+/=:-]{6,})/gi,
    isSecret: (value) =>
      !/^(?:bearer|basic|token|digest|string|required|optional|undefined|negotiate|secret|header)$/i.test(value),
  },
  { name: 'bearer token', pattern: /(Bearer[ \t]{1,8})([\w.~+/=-]{20,})/gi, isSecret: hasDigit },
  { name: 'basic authentication', pattern: /(Basic[ \t]{1,8})([A-Za-z0-9+/]{8,}={0,2})/g, isSecret: isLoginInBase64 },
  {
    name: 'cookie header',
    pattern: /(Cookie\\{0,8}["']?[ \t]{0,8}:[ \t]{0,8}\\{0,8}["']?)([^\s=;"'\\]{1,100}=[^\r\n"'\\]{8,1024})/gi,
    isSecret: hasDigit,
  },
  {
    name: 'netrc',
    pattern: /((?:login|account)[ \t]{1,8}[^\s"']{1,100}[ \t]{1,8}password[ \t]{1,8})([^\s"'\\]{2,200})/g,
    isSecret: (value, before) => hasSign(value) || /(?:machine[ \t]+\S+|default)\s+$/.test(before),
  },
  {
    name: 'netrc, a line each',
    pattern:
      /((?<=^|[\n\r]|\\n)[ \t]{0,16}(?:\d{1,6}(?:[ \t:]|\\{1,8}t){1,4})?[ \t]{0,16}password[ \t]{1,8})([^\s"'\\]{2,200})(?=[ \t]{0,8}(?:[\r\n]|\\{1,8}[nr"]|"|$))/g,
  },
  {
    name: 'pgpass',
    pattern:
      /((?<=^|[\n\r\t ]|\\[nrt])[\w.*-]{1,100}:(?:\d{4,5}|\*):[^:\s"']{1,64}:[^:\s"']{1,64}:)([^\s"':\\]{3,200})(?=[\r\n]|\\{1,8}[nr"]|"|$)/g,
  },
  {
    name: 'login of a command',
    pattern:
      /((?<=[\s"'])(?:-[A-Za-z]{0,4}[uU]|--(?:proxy-|http-)?user(?:name)?)[= \t]{0,4}["']?[^\s:"'@/\\]{1,100}:)([^\s"'`\\]{1,200})/g,
    isSecret: (value, before) => !/^\$/.test(value) && CLIENT.test(before),
  },
  {
    name: 'short option of a command',
    pattern: /((?<=\s)-[paP][ \t]{0,4}["']?)([^\s"'`\\$-][^\s"'`\\]{3,200})/g,
    isSecret: (value, before) => !/^\d+$/.test(value) && TAKES_PASSWORD.test(before.replace(/^[\s\S]*\n/, '')),
  },
  {
    name: 'option',
    pattern:
      /((?<![\w-])--?(?:[a-z\d]{1,20}-){0,4}(?:password|passwd|pass|passphrase|token|secret|api-?key|access-?key|secret-?key|pat|pwd|auth)[ \t]{1,4}["']?)([^\s"'`\\$<>[\]-][^\s"'`\\<>]{5,400})/gi,
    isSecret: (value) => hasSign(value) && !PLACEHOLDER.test(value),
  },
]

/** Programs that take `-u name:password`. */
const CLIENT = /(?:^|[^\w-]|\\[nrt])(?:curl|wget|xh|httpie|lftp|smbclient|rpcclient|curlie|restic)(?![\w-])/
/** Programs that take `-p password` or `-a password`. */
const TAKES_PASSWORD =
  /(?:^|[^\w-]|\\[nrt])(?:mysql\w{0,12}|mariadb[\w-]{0,12}|sshpass|(?:docker|podman|buildah|skopeo|az|oc|helm registry) login|redis-cli|mosquitto_\w{3}|7za?|unzip|zip|openssl)(?![\w-])/
const PLACEHOLDER =
  /^(?:[*x.•-]+|\$[{(A-Za-z_].*|<.*|\[.*|\{.*|x-oauth-basic|pass(?:word)?|token|secret|PASS(?:WORD)?|TOKEN|SECRET)$/
const LOOK_BACK = 300

/** Nothing of CONTEXTS is in a text without one of these. */
const HINT =
  /:\/\/[^\s/]{0,500}@|authorization|bearer|basic[ \t]|cookie|password[ \t]|:\d{4,5}:|:\*:|\s-[A-Za-z]{0,4}[uUpaP]|["'\s]--?[\w-]{1,60}[ \t=]/i

export function secretsInContext(text: string): Span[] {
  if (!HINT.test(text)) return []
  const spans: Span[] = []
  for (const { pattern, isSecret } of CONTEXTS)
    for (const found of text.matchAll(pattern)) {
      const [all, kept = '', value = ''] = found
      const start = found.index + kept.length
      const before = text.slice(Math.max(0, found.index - LOOK_BACK), found.index)
      if (all !== '' && isSecret?.(value, before, kept) !== false) spans.push({ start, end: start + value.length })
    }
  return spans
}

function hasDigit(value: string): boolean {
  return /\d/.test(value)
}

function hasSign(value: string): boolean {
  return /[A-Za-z]/.test(value) && /[^A-Za-z\s_.:/,;)-]/.test(value)
}

function isLoginInBase64(value: string): boolean {
  return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(value, 'base64').toString('latin1'))
}
