/** Graphemes, so that a character is never cut in two. */
const MAX_TITLE_GRAPHEMES = 80

/** The title of a session in lists: the first line of its first prompt that is not empty. */
export function titleOf(prompt: string): string {
  const line = prompt
    .split(/[\r\n\u2028\u2029]+/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this takes away
    .map((text) => text.replace(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ').trim())
    .find((text) => text !== '')
  const graphemes: string[] = []
  for (const { segment } of new Intl.Segmenter().segment(
    (line ?? '').slice(0, MAX_TITLE_GRAPHEMES * 20).replace(/\s+/g, ' '),
  )) {
    if (graphemes.length === MAX_TITLE_GRAPHEMES) return `${graphemes.slice(0, -1).join('').trimEnd()}…`
    graphemes.push(segment)
  }
  return graphemes.join('')
}
