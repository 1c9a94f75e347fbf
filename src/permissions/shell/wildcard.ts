/**
 * Whether a text fits a pattern in which `*` stands for anything, line ends too. In one pass: each piece is taken at its
 * first place, and never again, because a later `*` takes up whatever an earlier one leaves.
 */
export function fitsWildcard(pattern: string, text: string): boolean {
  const pieces = pattern.split('*')
  const first = pieces[0]!
  const last = pieces.at(-1)!
  if (pieces.length === 1) return text === pattern
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
