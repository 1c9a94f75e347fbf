/**
 * Whether a file name is meant by the name or pattern of an artefact: `*` stands for any characters, and an artefact that
 * is written for each plan has the plan before its name: `03-01.code-review.jsonl`.
 */
export function matchesArtefact(pattern: string, name: string): boolean {
  const parts = pattern.split('*')
  if (parts.length === 1) return pattern === name || pattern === artefactOf(name)
  const [first = '', ...rest] = parts
  const last = rest.pop() ?? ''
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > name.length - last.length) return false
    at = found + part.length
  }
  return true
}

const OF_PLAN = /^(\d\d-\d\d)\.(.+)$/s

/** The plan that a file of the phase is about, by its name; undefined for a file of the whole phase. */
export function planInName(name: string): string | undefined {
  return OF_PLAN.exec(name)?.[1]
}

/** `code-review.jsonl` of `03-01.code-review.jsonl`. */
export function artefactOf(name: string): string {
  return OF_PLAN.exec(name)?.[2] ?? name
}

/** The name of an artefact without the prefix of its department. */
export function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}
