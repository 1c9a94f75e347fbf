/** What is known of a word by its quotes alone. */
export interface PlainText {
  readonly text: string
  /** Holds unquoted `*`, `?` or `[…]`. */
  readonly isGlob: boolean
}

/**
 * The text of a word that is literal or plainly quoted, undefined for every other: variables, substitutions, `$'…'`,
 * `~`, braces that become several words. Our own reading, compared with that of the parser: both must agree.
 */
export function plainText(raw: string): PlainText | undefined {
  let text = ''
  /** What is not quoted and may make several words of one. */
  let signs = ''
  for (let at = 0; at < raw.length; at++) {
    const sign = raw[at]!
    if (sign === '\\') {
      const next = raw[++at]
      if (next === undefined) return undefined
      if (next !== '\n') text += next
    } else if (sign === "'") {
      const end = raw.indexOf("'", at + 1)
      if (end === -1) return undefined
      text += raw.slice(at + 1, end)
      at = end
    } else if (sign === '"') {
      const quoted = doubleQuoted(raw, at + 1)
      if (!quoted) return undefined
      text += quoted.text
      at = quoted.end
    } else {
      if (sign === '`' || BREAKS.test(sign)) return undefined
      if (sign === '$' && (isExpansion(raw[at + 1]) || /['"[]/.test(raw[at + 1] ?? ''))) return undefined
      if (sign === '~' && (at === 0 || /[=:]/.test(raw[at - 1]!))) return undefined
      if (/[*?[\]{},.]/.test(sign)) signs += sign
      text += sign
    }
  }
  if (hasBraces(signs)) return undefined
  return { text, isGlob: /[*?]/.test(signs) || isBracketed(signs) }
}

const BREAKS = /[\s;&|()<>]/

function doubleQuoted(raw: string, begin: number): { text: string; end: number } | undefined {
  let text = ''
  for (let at = begin; at < raw.length; at++) {
    const sign = raw[at]!
    if (sign === '"') return { text, end: at }
    if (sign === '`' || (sign === '$' && isExpansion(raw[at + 1]))) return undefined
    if (sign !== '\\') {
      text += sign
      continue
    }
    const next = raw[++at] ?? ''
    text += next === '\n' ? '' : /[$`"\\]/.test(next) ? next : `\\${next}`
  }
  return undefined
}

function isExpansion(next: string | undefined): boolean {
  return next !== undefined && /[A-Za-z_0-9@*#?$!({-]/.test(next)
}

/** `{}` alone is what it says; with a comma or two dots in between it becomes several words. */
function hasBraces(signs: string): boolean {
  const begin = signs.indexOf('{')
  const end = signs.lastIndexOf('}')
  if (begin === -1 || end < begin) return false
  const inside = signs.slice(begin, end)
  return inside.includes(',') || inside.includes('..')
}

function isBracketed(signs: string): boolean {
  const begin = signs.indexOf('[')
  return begin !== -1 && signs.includes(']', begin + 1)
}
