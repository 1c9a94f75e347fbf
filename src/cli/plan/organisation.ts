import { resolve } from 'node:path'
import type { Organisation } from '../../organisation/definition/organisation.ts'
import { ORGANISATION_FOLDER, readOrganisation } from '../../organisation/definition/read-organisation.ts'
import type { Call } from '../program/context.ts'
import { Refused } from '../program/failure.ts'
import { problemsFound } from './read.ts'

/** The organisation of this folder, for commands that need it valid. */
export function validOrganisation(call: Call): Organisation {
  const { organisation, problems } = readOrganisation(resolve(call.cwd, call.globals.cwd ?? '.', ORGANISATION_FOLDER))
  if (organisation) return organisation
  throw new Refused(problemsFound(problems, 'invalid_organisation'))
}
