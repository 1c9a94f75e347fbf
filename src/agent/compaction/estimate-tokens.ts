/** Letters and digits in a row that are longer than this are no word: base64, a hash, a key. */
const LONGEST_WORD = 16

/**
 * About how many tokens a text has, rather too many than too few: words as in English, long rows of letters and digits
 * a token for every 1.5 characters, other scripts up to 1.5 tokens a character. One pass over the text, no copy.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  let alphabetic = 0
  let digits = 0
  let spaces = 0
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0
    const isAlphabetic = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95
    const isDigit = code >= 48 && code <= 57
    const isSpace = code === 32 || (code >= 9 && code <= 13)
    if (spaces > 0 && !isSpace) {
      tokens += spaces === 1 ? 0 : 1 + spaces / 16
      spaces = 0
    }
    if (alphabetic + digits > 0 && !isAlphabetic && !isDigit) {
      tokens += wordTokens(alphabetic, digits)
      alphabetic = 0
      digits = 0
    }
    if (isAlphabetic) alphabetic++
    else if (isDigit) digits++
    else if (isSpace) spaces++
    else if (at < text.length) tokens += characterTokens(code)
  }
  return Math.ceil(tokens)
}

function wordTokens(alphabetic: number, digits: number): number {
  const length = alphabetic + digits
  if (length > LONGEST_WORD) return length / (digits > 0 ? 1.5 : 3)
  return Math.ceil(length / (digits > 0 ? 3 : 6))
}

function characterTokens(code: number): number {
  if (code < 0x80) return 0.75
  if (code < 0x800) return 0.7
  return code >= 0xd800 && code <= 0xdfff ? 1.5 : 1.2
}
