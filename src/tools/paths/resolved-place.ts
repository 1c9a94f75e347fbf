import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'

/** As many as Linux follows before it calls it a circle. */
const MAX_LINKS = 40

/** Where a path leads as far as it exists, with the rest of its names behind that. For judging, never for opening. */
export function resolvedPlace(path: string): string {
  let links = 0
  let real: string = sep
  const rest = path.split(sep).filter(Boolean).reverse()
  while (rest.length > 0) {
    const name = rest.pop()!
    const next = name === '..' ? dirname(real) : join(real, name)
    const target = linkAt(next)
    if (target === undefined || links >= MAX_LINKS) {
      real = next
      continue
    }
    links++
    rest.push(...resolve(real, target).split(sep).filter(Boolean).reverse())
    real = sep
  }
  return real
}

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}
