/**
 * Secrets that are known only by the words before them. These words may be the end of a longer one: in JSON a line break
 * looks like a letter. What stands before stays; only the secret goes.
 */
export interface Context {
  readonly name: string
  /** Groups: what stays, what goes. */
  readonly pattern: RegExp
  /** Is that a secret, and not a word or an expression? */
  isSecret?(value: string): boolean
}

const VALUE = '[^\\s"\'`,;<>\\\\(){}$|…]{8,}'
const SAYS = '\\\\*["\']?[ \\t]*[:=][ \\t]*\\\\*["\']?'

export const CONTEXTS: readonly Context[] = [
  {
    name: 'password in an address',
    pattern: /([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>\\]{0,100}:)([^\s/@"'<>\\]{1,200})(?=@)/gi,
  },
  {
    name: 'authorization header',
    pattern: new RegExp(
      `((?:Proxy-)?Authorization${SAYS}(?:(?:Basic|Bearer|Token|Digest|ApiKey)[ \\t]+)?)([\\w.~+/=:-]{8,})`,
      'gi',
    ),
  },
  { name: 'bearer token', pattern: /(Bearer[ \t]+)([\w.~+/=-]{20,})/gi, isSecret: hasDigit },
  { name: 'basic authentication', pattern: /(Basic[ \t]+)([A-Za-z0-9+/]{8,}={0,2})/g, isSecret: isNameAndPassword },
  {
    name: 'password variable',
    pattern: new RegExp(`((?:PASSWORD|PASSWD|SECRET)[A-Z0-9_]*${SAYS})(${VALUE})`, 'g'),
    isSecret: isNoExpression,
  },
  {
    name: 'key variable',
    pattern: new RegExp(`((?:KEY|TOKEN|CREDENTIALS?)[A-Z0-9_]*${SAYS})(${VALUE})`, 'g'),
    isSecret: isMixed,
  },
  {
    name: 'key by its name',
    pattern: new RegExp(
      `((?:api|access|secret|private|auth|client|refresh|session|account|x-api|subscription)[_-]?(?:key|token|secret)${SAYS})(${VALUE})`,
      'gi',
    ),
    isSecret: isMixed,
  },
  {
    name: 'password by its name',
    pattern: new RegExp(`((?:password|passwd|passphrase)${SAYS})(${VALUE})`, 'gi'),
    isSecret: isMixed,
  },
]

function hasDigit(value: string): boolean {
  return /\d/.test(value)
}

/** Words and numbers are no keys. */
function isMixed(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && isNoExpression(value)
}

/** `config.secretName` and `[redacted]` are not what they speak of. */
function isNoExpression(value: string): boolean {
  return (
    !/^[A-Za-z_$][\w$]*(?:[.[][\w$\]]+)*$/.test(value) ||
    (/\d/.test(value) && !value.includes('.') && value.length >= 16)
  )
}

function isNameAndPassword(value: string): boolean {
  return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(value, 'base64').toString('latin1'))
}
