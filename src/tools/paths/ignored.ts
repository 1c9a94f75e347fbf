import { relative } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { isInside } from '../../permissions/paths/places.ts'
import { openSpot, type Spot } from '../../permissions/paths/spot.ts'
import { readText } from './content.ts'

/** The rules of one `.gitignore`, and the folder they count from. */
interface Rules {
  readonly folder: string
  readonly rules: Ignore
}

/** What git would leave out, as far as the `.gitignore` files of these folders say. The deeper one has the last word. */
export type IgnoreRules = readonly Rules[]

/** Adds what the folder's own files say. */
export function withRulesOf(folder: Spot, above: IgnoreRules): IgnoreRules {
  const texts = ['.gitignore', '.git/info/exclude'].flatMap((name) => textOf(folder, name) ?? [])
  return texts.length === 0 ? above : [...above, { folder: folder.real, rules: ignore().add(texts.join('\n')) }]
}

export function isIgnored(real: string, isFolder: boolean, rules: IgnoreRules): boolean {
  for (let i = rules.length - 1; i >= 0; i--) {
    const { folder, rules: own } = rules[i]!
    // A folder's own rules are about what is in it.
    if (real === folder || !isInside(folder, real)) continue
    const { ignored, unignored } = own.test(relative(folder, real) + (isFolder ? '/' : ''))
    if (ignored || unignored) return ignored
  }
  return false
}

/** Absent, or no regular file: nothing is said. */
function textOf(folder: Spot, name: string): string | undefined {
  try {
    using spot = openSpot(`${folder.at}/${name}`, { follow: false })
    return spot.stats.isFile() ? readText(spot, spot.real) : undefined
  } catch {
    return undefined
  }
}
