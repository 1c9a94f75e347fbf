import { artefactPrefix, ownArtefacts } from '../definition/artefact-names.ts'
import type { Organisation } from '../definition/organisation.ts'

/** The organisation as one department sees it: artefacts of steps have the names that they have there. */
export interface DepartmentOrganisation extends Organisation {
  readonly artefactPrefix: string
}

/** Steps, what roles read, and prompts, with the names of artefacts in this department: `fe-architecture.toon`. */
export function organisationOf(organisation: Organisation, department: string): DepartmentOrganisation {
  const found = organisation.departments.get(department)
  const prefix = found ? artefactPrefix(found) : ''
  const own = ownArtefacts(organisation)
  const named = (artefact: string) => (own.has(artefact) ? `${prefix}${artefact}` : artefact)
  const inText = (text: string) =>
    [...own].reduce((now, name) => now.replaceAll(`\`${name}\``, `\`${named(name)}\``), text)
  return {
    ...organisation,
    artefactPrefix: prefix,
    steps: organisation.steps.map((step) => ({ ...step, entry: step.entry.map(named), exit: step.exit.map(named) })),
    roles: new Map(
      [...organisation.roles].map(([name, role]) => [
        name,
        { ...role, reads: role.reads.map(named), prompt: inText(role.prompt) },
      ]),
    ),
  }
}
