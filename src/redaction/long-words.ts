/**
 * Calls `visit` for each run of at least `least` characters without spaces, quotes, angle brackets and control characters.
 * A regular expression looks at every short word once for each of its letters; this looks at each letter once.
 */
export function longWords(text: string, least: number, visit: (start: number, end: number) => void): void {
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (!endsWord(text.charCodeAt(at))) continue
    if (at - start >= least) visit(start, at)
    start = at + 1
  }
  if (text.length - start >= least) visit(start, text.length)
}

/** `[\s"'`<>\p{Cc}]` */
export function endsWord(code: number): boolean {
  return code < IN_LATIN_1.length ? IN_LATIN_1[code] === 1 : code >= FIRST_WIDE_SPACE && isWideSpace(code)
}

const IN_LATIN_1 = Uint8Array.from({ length: 256 }, (_, code) =>
  /[\s"'`<>\p{Cc}]/u.test(String.fromCharCode(code)) ? 1 : 0,
)
const FIRST_WIDE_SPACE = 0x1680

function isWideSpace(code: number): boolean {
  return (
    code === FIRST_WIDE_SPACE ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  )
}
