/** The place where two JSON values differ, and what each has there. */
export interface Difference {
  readonly path: string
  readonly recorded: unknown
  readonly asked: unknown
}

/** The first difference in document order; undefined if there is none. */
export function firstDifference(recorded: unknown, asked: unknown, path = ''): Difference | undefined {
  if (Object.is(recorded, asked)) return undefined
  if (!isCompound(recorded) || !isCompound(asked) || Array.isArray(recorded) !== Array.isArray(asked))
    return { path, recorded, asked }
  const keys = new Set([...Object.keys(recorded), ...Object.keys(asked)])
  for (const key of keys) {
    const at = Array.isArray(recorded) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    const found = firstDifference(recorded[key], asked[key], at)
    if (found) return found
  }
  return undefined
}

/** Both values; long texts from shortly before the difference. */
export function show({ path, recorded, asked }: Difference): string {
  if (typeof recorded !== 'string' || typeof asked !== 'string')
    return `at ${path}\n  recorded: ${brief(recorded)}\n  asked:    ${brief(asked)}`
  let same = 0
  while (same < recorded.length && recorded[same] === asked[same]) same++
  const from = Math.max(0, same - 30)
  const piece = (text: string) => JSON.stringify(`${from > 0 ? '…' : ''}${text.slice(from, same + 120)}`)
  return `at ${path}, character ${same + 1}\n  recorded: ${piece(recorded)}\n  asked:    ${piece(asked)}`
}

function isCompound(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function brief(value: unknown): string {
  if (value === undefined) return '(nothing)'
  const text = JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
