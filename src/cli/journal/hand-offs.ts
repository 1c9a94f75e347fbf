import { join } from 'node:path'
import type { Organisation } from '../../organisation/definition/organisation.ts'
import { ORGANISATION_FOLDER, readOrganisation } from '../../organisation/definition/read-organisation.ts'
import { teamOf } from '../../organisation/departments/spawn-plan.ts'
import { createHandOffReader, type HandOffRecord } from '../../organisation/routing/hand-off-records.ts'
import { readEvent } from '../../team/event.ts'
import { nameKey } from '../../team/name.ts'
import type { Call } from '../program/context.ts'
import { workspaceFolder } from '../workspace/workspace-folder.ts'

/** An event as the log prints it. */
interface PrintedEvent {
  readonly at?: number
  readonly by?: string
  readonly record?: string
  readonly event?: unknown
}

/** Finds the hand-offs in the events of a team, which it is given in order. */
export function handOffsOf(call: Call, team: string): (line: PrintedEvent) => HandOffRecord[] {
  const { organisation } = readOrganisation(join(workspaceFolder(call), ORGANISATION_FOLDER))
  const read = createHandOffReader(departmentOf(organisation, team), new Set(organisation?.roles.keys()))
  return ({ at = 0, by = 'user', record = '', event }) => {
    const known = readEvent(event)
    return known === 'unknown' || known === 'broken' ? [] : read(known, { id: record, at, by })
  }
}

/** The department whose team this is; without an organisation, the team itself. */
function departmentOf(organisation: Organisation | undefined, team: string): string {
  const departments = [...(organisation?.departments.keys() ?? [])]
  return departments.find((name) => organisation && nameKey(teamOf(organisation, name)) === nameKey(team)) ?? team
}
