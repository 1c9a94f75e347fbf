import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isInside } from '../../permissions/paths/places.ts'
import { openSpot, type Spot } from '../../permissions/paths/spot.ts'
import { type FileAccess, refuseReading, STATE_FOLDERS } from './file-access.ts'
import { type IgnoreRules, isIgnored, withRulesOf } from './ignored.ts'

/** The files of one folder, which stays open until the next one is read. Links are listed, never followed. */
export interface WalkedFolder {
  readonly folder: Spot
  readonly files: readonly string[]
}

/**
 * Every folder from `start` downwards in the order of names, without what git ignores, what belongs to git and to
 * teams, and what the user denied. Each is opened under the one above it, so a link put in its place leads nowhere.
 */
export async function* walk(start: Spot, access: FileAccess, signal: AbortSignal): AsyncGenerator<WalkedFolder> {
  yield* walkFolder(start, rulesAbove(start, access), access, signal)
}

async function* walkFolder(
  folder: Spot,
  above: IgnoreRules,
  access: FileAccess,
  signal: AbortSignal,
): AsyncGenerator<WalkedFolder> {
  // Let other agents run between two folders.
  await new Promise(setImmediate)
  signal.throwIfAborted()
  const rules = withRulesOf(folder, above)
  const isWanted = (name: string, isFolder: boolean) => {
    const real = join(folder.real, name)
    return !isIgnored(real, isFolder, rules) && refuseReading(real, access) === undefined
  }
  const entries = entriesOf(folder).sort((a, b) => (a.name < b.name ? -1 : 1))
  const files = entries.filter((entry) => !entry.isDirectory() && isWanted(entry.name, false))
  yield { folder, files: files.map(({ name }) => name) }
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    if (STATE_FOLDERS.includes(name) || !isWanted(name, true)) continue
    const child = childOf(folder, name)
    if (!child) continue
    using held = child
    if (refuseReading(held.real, access) === undefined) yield* walkFolder(held, rules, access, signal)
  }
}

/** What the folders above say, from the root down; nothing, if they ignore the very folder that was asked for. */
function rulesAbove(start: Spot, { root }: FileAccess): IgnoreRules {
  if (!isInside(root, start.real)) return []
  const folders: string[] = []
  for (let folder = start.real; folder !== root; folder = dirname(folder)) folders.unshift(dirname(folder))
  let rules: IgnoreRules = []
  for (const path of folders) {
    const folder = spotOf(path)
    if (!folder) continue
    using held = folder
    rules = withRulesOf(held, rules)
  }
  const steps = [...folders.slice(1), start.real]
  return steps.some((folder) => isIgnored(folder, true, rules)) ? [] : rules
}

function entriesOf(folder: Spot) {
  try {
    return readdirSync(folder.at, { withFileTypes: true })
  } catch {
    // Not readable for this user, or removed.
    return []
  }
}

function childOf(folder: Spot, name: string): Spot | undefined {
  const child = spotOf(`${folder.at}/${name}`)
  if (child?.stats.isDirectory()) return child
  child?.[Symbol.dispose]()
  return undefined
}

function spotOf(path: string): Spot | undefined {
  try {
    return openSpot(path, { follow: false })
  } catch {
    return undefined
  }
}
