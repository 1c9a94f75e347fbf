/**
 * Text of models, tools, files, mail, providers and the environment as it may stand on a terminal: nothing in it moves the
 * cursor, changes colours, title or clipboard, or shows letters in another order than they have. Left are line breaks,
 * tabs and letters; each sign that does something else becomes U+FFFD, also half of a surrogate pair.
 */
export function plainText(text: string): string {
  const clean = UNSAFE.test(text) ? text.replace(EACH_UNSAFE, '\ufffd') : text
  return clean.replace(HALF_A_PAIR, '\ufffd')
}

/** C0 but tab and line feed, a carriage return that no line feed follows, DEL, C1, marks of direction, other line ends. */
const SIGNS =
  '\\r(?!\\n)|[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]'
const UNSAFE = new RegExp(SIGNS)
const EACH_UNSAFE = new RegExp(SIGNS, 'g')
const HALF_A_PAIR = /\p{Surrogate}/gu

/** JSON in which such signs are escaped, so that it is exact for programs and harmless on a terminal. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
