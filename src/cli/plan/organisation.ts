import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Organisation } from '../../organisation/definition/organisation.ts'
import {
  ORGANISATION_FOLDER,
  type ReadOrganisation,
  readOrganisation,
} from '../../organisation/definition/read-organisation.ts'
import type { Call } from '../program/context.ts'
import { Refused } from '../program/failure.ts'
import { workspaceFolder } from '../workspace/workspace-folder.ts'
import { problemsFound } from './read.ts'

/** The organisation of the workspace, also where it is not valid; undefined where there is none. */
export function organisationHere(call: Call): ReadOrganisation | undefined {
  const folder = folderOf(call)
  return existsSync(folder) ? readOrganisation(folder) : undefined
}

/** The organisation of the workspace, for commands that need it valid. */
export function validOrganisation(call: Call): Organisation {
  const found = organisationHere(call)
  if (!found)
    throw new Refused({
      code: 'invalid_organisation',
      message: `There is no organisation in ${folderOf(call)}. Write its files with: deskmates org init engineering, or go to the folder of your project.`,
    })
  if (found.organisation) return found.organisation
  throw new Refused(problemsFound(found.problems, 'invalid_organisation'))
}

function folderOf(call: Call): string {
  return join(workspaceFolder(call), ORGANISATION_FOLDER)
}
