/** A result is sent in full up to here; of a longer one head, tail and the path of all of it. */
const MAX_RESULT_BYTES = 8 * 1024

/** A result as the lead gets it. `keep` keeps a text under a path that agents can read; durable when it returns. */
export function shortenResult(text: string, keep: (content: string, about: string) => string): string {
  if (Buffer.byteLength(text) <= MAX_RESULT_BYTES) return text
  const path = keep(text, 'result')
  return `${text.slice(0, MAX_RESULT_BYTES / 2)}\n[… all of it is in ${path}]\n${text.slice(-MAX_RESULT_BYTES / 4)}`
}
