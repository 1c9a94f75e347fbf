import { placeOf } from '../../permissions/paths/places.ts'
import { PathRefused, refusedBy } from '../../permissions/paths/refused.ts'
import { openSpot, type Spot } from '../../permissions/paths/spot.ts'
import { type FileAccess, isOutside, refuseMissing, refuseOutside, refuseReading, show } from './file-access.ts'

/** Opens `path` if the agent may read there. Links are followed; their target is checked. */
export function openForReading(path: string, access: FileAccess): Spot & { readonly shown: string } {
  if (path.includes('\0')) throw new PathRefused(`${JSON.stringify(path)} holds a NUL byte, so no file has this name.`)
  let spot: Spot
  try {
    spot = openSpot(placeOf(path, access.root))
  } catch (error) {
    const refusal = refuseMissing(placeOf(path, access.root), access, 'read')
    throw refusal === undefined ? refusedBy(error, path) : new PathRefused(refusal)
  }
  const refusal = isOutside(spot.real, access)
    ? refuseOutside(placeOf(path, access.root), access)
    : refuseReading(spot.real, access)
  if (refusal === undefined) return { ...spot, shown: show(spot.real, access) }
  spot[Symbol.dispose]()
  throw new PathRefused(refusal)
}
