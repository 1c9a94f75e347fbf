import { lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isInside, isInsideAny } from '../paths/places.ts'
import { orUndefined } from '../paths/safe-reads.ts'
import type { SandboxProfile } from './profile.ts'

/** A folder that stands in for another one inside of the sandbox. Commands write to it, and it outlives them. */
interface StandIn {
  readonly real: string
  readonly inside: string
}

function standIns({ tmp, home }: SandboxProfile): StandIn[] {
  return [{ real: '/tmp', inside: tmp }, ...(home ? [home] : [])]
}

/** What is mounted on places in a folder that stands in for another one, each with the folders above it, outermost first. */
function mountsIn(profile: SandboxProfile) {
  const { shown, hidden, writable, home } = profile
  const found = standIns(profile)
  const below = hidden.map(({ path }) => path).filter((path) => !isInsideAny(writable, path))
  const paths = new Set([...shown, ...below, ...writable, ...(home ? [home.real] : [])])
  return [...paths].flatMap((path) => {
    const around = found.filter(({ real }) => real !== path && isInside(real, path))
    const standIn = around.sort((a, b) => b.real.length - a.real.length)[0]
    if (!standIn || [...shown, ...writable].some((other) => other !== path && isInside(other, path))) return []
    const names = relative(standIn.real, path).split(sep)
    const above = names.slice(0, -1).map((_, i) => names.slice(0, i + 1).join(sep))
    return [{ path, standIn, above, name: names.join(sep) }]
  })
}

/**
 * Makes the places on which something is mounted. Bubblewrap follows links when it makes them by itself, out of the sandbox
 * too, so a link that a command left there would have it write anywhere: it is removed.
 */
export function makeMountPoints(profile: SandboxProfile): void {
  for (const { path, standIn, above, name } of mountsIn(profile)) {
    for (const folder of above) makeFolder(join(standIn.inside, folder))
    const place = join(standIn.inside, name)
    if (orUndefined(() => statSync(path).isDirectory()) ?? true) makeFolder(place)
    else makeFile(place)
  }
}

/** The folders between, mounted on themselves: while a command runs, none can be moved away and replaced by a link. */
export function pinnedMountPoints(profile: SandboxProfile, real: string): { from: string; to: string }[] {
  const pins = mountsIn(profile)
    .filter(({ standIn }) => standIn.real === real)
    .flatMap(({ standIn, above }) =>
      above.map((folder) => [join(standIn.real, folder), join(standIn.inside, folder)] as const),
    )
  const outermostFirst = [...new Map(pins)].sort(([a], [b]) => (a < b ? -1 : 1))
  return outermostFirst.map(([to, from]) => ({ from, to }))
}

function makeFolder(path: string): void {
  const found = orUndefined(() => lstatSync(path))
  if (found?.isDirectory()) return
  if (found) rmSync(path, { force: true })
  mkdirSync(path, { mode: 0o700 })
}

function makeFile(path: string): void {
  const found = orUndefined(() => lstatSync(path))
  if (found?.isFile()) return
  if (found) rmSync(path, { recursive: true, force: true })
  writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
}
