import { placeOf } from '../../permissions/paths/places.ts'
import { PathRefused, refusedBy } from '../../permissions/paths/refused.ts'
import { openSpot, type Spot } from '../../permissions/paths/spot.ts'
import { isOutside, refuseMissing, refuseOutside, refuseReading, show, type Territory } from './territory.ts'

/** Holds what is at `path` if this agent may read there. Links are followed; where they lead decides. */
export function openForReading(path: string, territory: Territory): Spot & { readonly shown: string } {
  if (path.includes('\0')) throw new PathRefused(`${JSON.stringify(path)} holds a NUL byte, so no file has this name.`)
  let spot: Spot
  try {
    spot = openSpot(placeOf(path, territory.root))
  } catch (error) {
    const refusal = refuseMissing(placeOf(path, territory.root), territory, 'read')
    throw refusal === undefined ? refusedBy(error, path) : new PathRefused(refusal)
  }
  const refusal = isOutside(spot.real, territory)
    ? refuseOutside(placeOf(path, territory.root), territory)
    : refuseReading(spot.real, territory)
  if (refusal === undefined) return { ...spot, shown: show(spot.real, territory) }
  spot[Symbol.dispose]()
  throw new PathRefused(refusal)
}
