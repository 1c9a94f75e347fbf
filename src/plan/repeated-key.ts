/** The first key that a JSON object on one line has twice, of which `JSON.parse` would silently keep the last. */
export function repeatedKey(text: string): string | undefined {
  const keys = new Set<string>()
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (depth === 1 && token.endsWith(':')) {
      const key: string = JSON.parse(token.slice(0, -1))
      if (keys.has(key)) return key
      keys.add(key)
    }
  }
  return undefined
}
