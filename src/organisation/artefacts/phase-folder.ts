import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isPlanView } from '../../team/plans/plan-views.ts'
import { artefactProblem } from './check-artefact.ts'
import { matchesArtefact, planInName } from './match.ts'

const MAX_ARTEFACT_BYTES = 64 * 1024 * 1024

export interface ArtefactPlace {
  readonly plans?: readonly string[]
  readonly prefix?: string
  /** Of the organisation; see `isPlanView`. */
  readonly handOffFiles?: readonly string[]
}

/**
 * Why an artefact of the phase in this folder does not count. A pattern needs at least one file, and all of them valid.
 * With `plans`, files about other plans are those of other departments, and do not matter; `prefix` is that of the department. What the runtime writes from the
 * journal does not count as a file: see `viewProblem`.
 */
export function artefactProblemIn(
  folder: string,
  artefact: string,
  { plans, prefix = '', handOffFiles = [] }: ArtefactPlace = {},
): string | undefined {
  const isEach = plans === undefined || artefact.includes('*')
  const isMeant = (plan: string | undefined) => isEach || plan === undefined || plans.includes(plan)
  const isOurs = (name: string) =>
    matchesArtefact(artefact, name) && isMeant(planInName(name)) && !isPlanView(name, handOffFiles)
  const names = filesIn(folder).filter(isOurs)
  if (names.length === 0) return 'is missing'
  for (const name of names) {
    const problem = fileProblem(folder, name, prefix)
    if (problem !== undefined) return names.length === 1 ? problem : `${name} ${problem}`
  }
  return undefined
}

/** The names of the files of a phase; none where the folder is missing. */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort()
  } catch {
    return []
  }
}

function fileProblem(folder: string, name: string, prefix: string): string | undefined {
  const read = readArtefact(folder, name)
  return 'problem' in read ? read.problem : artefactProblem(name, read.text, prefix)
}

/** Links, pipes and devices are not artefacts, and none of them is waited for. */
export function readArtefact(folder: string, name: string): { readonly text: string } | { readonly problem: string } {
  let descriptor: number
  try {
    descriptor = openSync(join(folder, name), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch {
    return { problem: 'cannot be read' }
  }
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.size > MAX_ARTEFACT_BYTES) return { problem: 'is not a regular file of at most 64 MB' }
    return { text: readFileSync(descriptor, 'utf8') }
  } finally {
    closeSync(descriptor)
  }
}
