import { nameKey } from '../name.ts'
import type { Request } from '../request.ts'
import type { TeamState } from '../state.ts'
import type { Member } from './member.ts'

/** The open request by which this member is asked to stop, if it is. */
export function shutdownOf(state: TeamState, { name, generation }: Member): Request | undefined {
  for (const request of state.requests.values()) {
    if (request.kind !== 'shutdown' || request.state !== 'pending') continue
    if (nameKey(request.to) === nameKey(name) && request.toGeneration === generation) return request
  }
  return undefined
}
